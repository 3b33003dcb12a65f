import { describe, expect, it } from 'vitest';
import { ern38, ern43, recording43, recordsIn } from './ern.test-support.ts';

const ERN_432 = 'http://ddex.net/xml/ern/432';

const contributor = (role: string, more = '<AiContribution>Partly</AiContribution>') =>
  `<Contributor><ContributorPartyReference>PAnn</ContributorPartyReference><Role><Value>${role}</Value></Role>${more}</Contributor>`;

const image = (share: string) =>
  `<Image><ResourceReference>A9</ResourceReference><Type>FrontCoverImage</Type>${share}<TechnicalDetails><DeliveryFile><File><URI>cover.png</URI></File></DeliveryFile></TechnicalDetails></Image>`;

/** Returns the record of a recording with more elements. */
async function recordIn(more: string, images = ''): Promise<Record<string, unknown>> {
  const recordings = [recording43({ more })];
  const [found] = await recordsIn(ern43({ namespace: ERN_432, recordings, images }));
  return found!.record!;
}

async function provenanceIn(more: string, images = ''): Promise<unknown[]> {
  const { ai, aiParts } = await recordIn(more, images);
  return [ai, aiParts];
}

describe('a recording of ERN 4.3.2', () => {
  it.each([
    ['All', 'generated'],
    ['Partly', 'assisted'],
    ['None', 'none'],
    ['Unheard', undefined],
  ])('with ContainsAI %s is %s', async (word, ai) => {
    expect(await provenanceIn(`<ContainsAI>${word}</ContainsAI>`)).toEqual([ai, undefined]);
  });

  it.each([
    ['Vocalist', 'vocals'],
    ['BackgroundVocalist', 'vocals'],
    ['Lyricist', 'lyrics'],
    ['Author', 'lyrics'],
    ['Composer', 'composition'],
    ['StudioMusician', 'performance'],
    ['AssociatedPerformer', 'performance'],
    ['MasteringEngineer', 'mastering'],
  ])('names what a machine made by the role %s', async (role, part) => {
    expect(await provenanceIn(contributor(role))).toEqual([undefined, [part]]);
  });

  it('names each part once, in the order of Stave', async () => {
    const all = ['MasteringEngineer', 'ComposerLyricist', 'Composer'].map((role) =>
      contributor(role, '<AiContribution>All</AiContribution>'),
    );
    const share = '<ContainsAI>Partly</ContainsAI>';
    expect(await provenanceIn(share + all.join(''))).toEqual([
      'assisted',
      ['lyrics', 'composition', 'mastering'],
    ]);
  });

  it('leaves out what people made, and roles that stand for no part', async () => {
    const people = ['<AiContribution>None</AiContribution>', ''];
    const credits = people.map((more) => contributor('Composer', more)).join('');
    expect(await provenanceIn(credits + contributor('StudioProducer'))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('takes a special contributor for a machine, and credits nobody', async () => {
    const more = `<Contributor><SpecialContributor>GenerativeAI</SpecialContributor><Role><Value>Vocalist</Value></Role></Contributor>`;
    expect(await provenanceIn(more)).toEqual([undefined, ['vocals']]);
    expect((await recordIn(more)).artists).toMatchObject([{ role: 'MAIN_ARTIST' }]);
  });

  it('has the cover among its parts, unless it was made without machines', async () => {
    const cover = image('<ContainsAI>All</ContainsAI>');
    expect(await provenanceIn('', cover)).toEqual([undefined, ['artwork']]);
    expect(await provenanceIn('', image(''))).toEqual([undefined, undefined]);
    const none = `<ContainsAI>None</ContainsAI>${contributor('Composer')}`;
    expect(await provenanceIn(none, cover)).toEqual(['none', undefined]);
  });

  it('has roles in elements of their own', async () => {
    const user = '<Value Namespace="X" UserDefinedValue="Foley Artist">UserDefined</Value>';
    const more = `<Contributor><ContributorPartyReference>PAnn</ContributorPartyReference><Role>${user}</Role><Role><Value>ComposerLyricist</Value></Role></Contributor>`;
    expect((await recordIn(more)).artists).toMatchObject(
      ['MAIN_ARTIST', 'FOLEY_ARTIST', 'COMPOSER', 'LYRICIST'].map((role) => ({ role })),
    );
  });
});

it('a recording of ERN 3.8 says nothing of machines', async () => {
  const [found] = await recordsIn(ern38());
  expect(found!.record).toMatchObject({ ai: undefined });
  expect(found!.record).not.toHaveProperty('aiParts');
});
