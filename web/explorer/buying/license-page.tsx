import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { License, LicensedFile, LicensedFiles } from '#client';
import { viewOf } from '../browse/location.ts';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { day, t } from '../texts/texts.ts';
import { megabytes } from '../track/audio-text.ts';
import { statusName } from './found-list.tsx';
import { periodOf } from './licenses.tsx';
import { mediumName, territoryNames } from './names.ts';
import { Facts, Page } from './page.tsx';
import { TestMark } from './test-mark.tsx';

/** A license: what it covers, its documents and its files. */
export function LicensePage({ number }: { number: string }) {
  const loaded = useLoaded(`license ${number}`, (stave, signal) =>
    stave.showLicense({ number }, { signal }).then(),
  );
  return (
    <Page
      back={viewOf({ list: 'licenses' })}
      title={t('licenseNumber', { number })}
      loaded={loaded}
    >
      {(license) => (
        <>
          <div>
            <Facts facts={factsOf(license)} />
            <h2>{t('countTracks', { n: license.tracks.length })}</h2>
            <ul class="parts">
              {license.tracks.map(({ trackId, name, artists, takenDown }) => (
                <li key={trackId}>
                  <span class="name" dir="auto">
                    {name}
                  </span>
                  <span class="meta">
                    {artists.join(', ')}
                    {takenDown && ` · ${t('takenDown')}`}
                  </span>
                </li>
              ))}
            </ul>
          </div>
          <div class="price-box">
            <Documents license={license} />
            {license.status === 'active' ? (
              <Files license={license} />
            ) : (
              <p>{t('noFiles', { status: statusName(license.status) })}</p>
            )}
          </div>
        </>
      )}
    </Page>
  );
}

function factsOf(license: License): [string, string][] {
  const { licensee } = license;
  return [
    [t('status'), statusName(license.status)],
    [t('project'), license.project.name],
    [t('licensee'), `${licensee.name}, ${territoryNames([licensee.country])}`],
    [t('purchaseOrder'), license.purchaseOrder ?? ''],
    [t('media'), license.media.map(mediumName).join(', ')],
    [t('countries'), territoryNames(license.territories)],
    [t('term'), periodOf(license)],
    [t('exclusive'), license.exclusive ? t('yes') : ''],
    [t('stemsAndVersions'), license.parts ? t('included') : ''],
    [t('issued'), day(license.issuedAt)],
    [t('terms'), license.termsVersion],
  ];
}

/** Saves a file that the page has. */
function save(content: BlobPart, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function Documents({ license }: { license: License }) {
  const { number, certificate, verifyUrl, quoteId } = license;
  const failure = useSignal<unknown>(undefined);
  const savePdf = async () => {
    failure.value = undefined;
    try {
      const bytes = await session.peek()!.stave.readCertificatePdf({ number });
      save(bytes as Uint8Array<ArrayBuffer>, 'application/pdf', `${number}.pdf`);
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <section aria-label={t('documents')}>
      <h2>
        {t('documents')} <TestMark />
      </h2>
      <div class="actions">
        <button type="button" onClick={savePdf}>
          <Icon name="download" /> {t('pdf')}
        </button>
        <button
          type="button"
          onClick={() => save(certificate, 'application/jose', `${number}.jws`)}
        >
          <Icon name="download" /> {t('certificate')}
        </button>
        <a class="button" href={verifyUrl} target="_blank" rel="noreferrer">
          {t('verify')}
        </a>
        <Link view={viewOf({ list: 'quote', of: quoteId })} class="button">
          {t('quote')}
        </Link>
      </div>
      {failure.value !== undefined && <Failure error={failure.value} />}
    </section>
  );
}

const FORMATS = ['original', 'wav', 'flac', 'mp3'] as const;
type Format = (typeof FORMATS)[number];

/** The audio of a license, to save, and what was saved of it before. */
function Files({ license: { number, parts } }: { license: License }) {
  const format = useSignal<Format>('original');
  const withParts = useSignal(false);
  const files = useSignal<LicensedFiles | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const get = async (event: SubmitEvent) => {
    event.preventDefault();
    failure.value = undefined;
    files.value = undefined;
    try {
      const request = { number, format: format.value, ...(withParts.value && { parts: true }) };
      files.value = await session.peek()!.stave.createDownloads(request);
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <section aria-label={t('files')}>
      <h2>
        {t('files')} <TestMark />
      </h2>
      <form class="inline" onSubmit={get}>
        <select
          aria-label={t('format')}
          value={format.value}
          onChange={({ currentTarget }) => {
            format.value = currentTarget.value as Format;
          }}
        >
          {FORMATS.map((one) => (
            <option key={one} value={one}>
              {one === 'original' ? t('asDelivered') : one.toUpperCase()}
            </option>
          ))}
        </select>
        {parts && (
          <label class="check">
            <input
              type="checkbox"
              checked={withParts.value}
              onChange={({ currentTarget }) => {
                withParts.value = currentTarget.checked;
              }}
            />{' '}
            {t('stemsAndVersions')}
          </label>
        )}
        <button type="submit" class="primary">
          {t('getFiles')}
        </button>
      </form>
      {failure.value !== undefined && <Failure error={failure.value} />}
      <div role="status">
        {files.value !== undefined && <FileList key={files.value.expiresAt} files={files.value} />}
      </div>
      <Downloaded number={number} />
    </section>
  );
}

function FileList({ files: { items, expiresAt } }: { files: LicensedFiles }) {
  return (
    <>
      <ul class="parts">
        {items.map((file) => (
          <FileLine key={file.url} file={file} />
        ))}
      </ul>
      <p class="meta">{t('validUntil', { day: day(expiresAt, { timeStyle: 'short' }) })}</p>
    </>
  );
}

/** How often a file that is being made is asked for, and the pause after a refusal, in milliseconds. */
const ATTEMPTS = 10;
const PAUSE_MS = 5_000;

/** A file to save. Of one that is made only now, the link appears when it is there. */
function FileLine({ file: { url, fileName, bytes, tagged } }: { file: LicensedFile }) {
  const isReady = useSignal(bytes !== null);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    if (!isReady.peek()) {
      made(url, abort.signal).then(
        () => {
          isReady.value = true;
        },
        (error) => {
          if (!abort.signal.aborted) failure.value = error;
        },
      );
    }
    return () => abort.abort();
  }, []);
  const notes = [bytes === null ? '' : megabytes(bytes), tagged ? '' : t('untagged')];
  return (
    <li>
      {isReady.value ? (
        <a href={url} class="file" target="_blank" rel="noreferrer">
          {fileName}
        </a>
      ) : (
        <span class="file">{fileName}</span>
      )}
      <span class="meta">{isReady.value ? notes.filter(Boolean).join(' · ') : t('isMade')}</span>
      {failure.value !== undefined && <Failure error={failure.value} />}
    </li>
  );
}

/** Resolves when a file can be sent. */
async function made(url: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { ok, status } = await fetch(url, { method: 'HEAD', signal });
    if (ok) return;
    if (status !== 503) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(t('notMade'));
}

/** What was downloaded of a license, the latest first. */
function Downloaded({ number }: { number: string }) {
  const { data } = useLoaded(`downloads ${number}`, (stave, signal) =>
    stave.listDownloads({ number, pageSize: 1 }, { signal }).then(),
  );
  const last = data?.items[0];
  if (data === undefined || last === undefined) return null;
  return <p class="meta">{t('downloaded', { n: data.totalRecords, day: day(last.at) })}</p>;
}
