import { describe, expect, it } from 'vitest';
import { deal, dealList, ern38, ern43, recording43, recordsIn } from './ern.test-support.ts';

const FROM_2026 = [{ from: '2026-01-01T00:00:00.000Z' }];

describe('a recording of ERN 4.3', () => {
  it('becomes a record with all that Stave reads', async () => {
    const recording = `<SoundRecording>
      <ResourceReference>A1</ResourceReference>
      <Type>MusicalWorkSoundRecording</Type>
      <WorkId><ISWC>T0345246801</ISWC></WorkId>
      <SoundRecordingEdition>
        <Type>ImmersiveEdition</Type>
        <ResourceId><ISRC>DEA252600009</ISRC></ResourceId>
        <TechnicalDetails><DeliveryFile><File><URI>atmos.wav</URI></File></DeliveryFile></TechnicalDetails>
      </SoundRecordingEdition>
      <SoundRecordingEdition>
        <Type>NonImmersiveEdition</Type>
        <ResourceId><ISRC>DE-A25-26-00001</ISRC><ProprietaryId Namespace="DPID:X">nl-1</ProprietaryId></ResourceId>
        <PLine><Year>2026</Year><PLineText>2026 Nordlicht Records</PLineText></PLine>
        <TechnicalDetails>
          <TechnicalResourceDetailsReference>T1</TechnicalResourceDetailsReference>
          <DeliveryFile><Type>AudioFile</Type><File><URI>resources/1.dsf</URI></File></DeliveryFile>
          <DeliveryFile><Type>AudioFile</Type><File><URI>resources/1.flac</URI></File></DeliveryFile>
          <ClipDetails><ClipType>Preview</ClipType><Timing><StartPoint>45.5</StartPoint></Timing></ClipDetails>
        </TechnicalDetails>
      </SoundRecordingEdition>
      <DisplayTitleText>Nachtfähre (Dub)</DisplayTitleText>
      <DisplayTitle LanguageAndScriptCode="en"><TitleText>Night Ferry</TitleText></DisplayTitle>
      <DisplayTitle LanguageAndScriptCode="de" IsDefault="true"><TitleText>Nachtfähre</TitleText><SubTitle>Dub</SubTitle></DisplayTitle>
      <DisplayArtist SequenceNumber="2"><ArtistPartyReference>PBob</ArtistPartyReference><DisplayArtistRole>FeaturedArtist</DisplayArtistRole></DisplayArtist>
      <DisplayArtist SequenceNumber="1"><ArtistPartyReference>PAnn</ArtistPartyReference><DisplayArtistRole>MainArtist</DisplayArtistRole></DisplayArtist>
      <Contributor><ContributorPartyReference>PAnn</ContributorPartyReference><Role>Artist</Role></Contributor>
      <Contributor><ContributorPartyReference>PCy</ContributorPartyReference><Role>ComposerLyricist</Role><Role Namespace="X" UserDefinedValue="Foley Artist">UserDefined</Role></Contributor>
      <Contributor><ContributorPartyReference>PDee</ContributorPartyReference><Role>StudioProducer</Role></Contributor>
      <Contributor><ContributorPartyReference>PDee</ContributorPartyReference><Role>MasteringEngineer</Role></Contributor>
      <Duration>PT3M5.5S</Duration>
      <FirstPublicationDate>2025-12-24</FirstPublicationDate>
      <ParentalWarningType>Explicit</ParentalWarningType>
      <IsInstrumental>false</IsInstrumental>
      <LanguageOfPerformance>de</LanguageOfPerformance>
    </SoundRecording>`;
    const party = (reference: string, name: string, more = '') =>
      `<Party><PartyReference>${reference}</PartyReference><PartyName><FullName>${name}</FullName></PartyName>${more}</Party>`;
    const parties = [
      party('PBob', 'Bob Low'),
      party('PCy', 'Cy Tree', '<PartyId><IpiNameNumber>00012345678</IpiNameNumber></PartyId>'),
      party('PDee', 'Dee Oak'),
    ].join('');
    expect(await recordsIn(ern43({ recordings: [recording], parties }))).toEqual([
      {
        line: 20,
        externalId: 'DEA252600001',
        releases: ['ICPN 04012345678901'],
        files: ['resources/1.flac', 'resources/1.dsf'],
        problems: [],
        record: {
          externalId: 'DEA252600001',
          name: 'Nachtfähre (Dub)',
          durationSeconds: 185.5,
          region: 'WORLD',
          releaseDate: '2025-12-24',
          hasVocals: true,
          tags: ['explicit'],
          isrc: 'DE-A25-26-00001',
          iswc: 'T0345246801',
          artists: [
            { name: 'Ann Weir', role: 'MAIN_ARTIST', isPrimary: true },
            { name: 'Bob Low', role: 'FEATURED_ARTIST', isPrimary: false },
            { name: 'Cy Tree', role: 'COMPOSER', isPrimary: false, ipi: '00012345678' },
            { name: 'Cy Tree', role: 'LYRICIST', isPrimary: false, ipi: '00012345678' },
            { name: 'Cy Tree', role: 'FOLEY_ARTIST', isPrimary: false, ipi: '00012345678' },
            { name: 'Dee Oak', role: 'PRODUCER', isPrimary: false },
            { name: 'Dee Oak', role: 'MASTERING_ENGINEER', isPrimary: false },
          ],
          filters: [
            { type: 'genre', name: 'Ambient' },
            { type: 'genre', name: 'Drone' },
          ],
          previewStartSeconds: 45,
          availability: FROM_2026,
        },
      },
    ]);
  });

  it('takes genre and date of its own release first, and deals of all its releases', async () => {
    const releases = `
      <Release><ReleaseReference>R0</ReleaseReference><ReleaseType>Album</ReleaseType>
        <ReleaseId><GRid>A1ABCDE0000000001Z</GRid></ReleaseId>
        <Genre><GenreText>Ambient</GenreText></Genre><ReleaseDate>2026-02-01</ReleaseDate>
        <ResourceGroup><ResourceGroup><ResourceGroupContentItem><ReleaseResourceReference>A1</ReleaseResourceReference></ResourceGroupContentItem></ResourceGroup></ResourceGroup>
      </Release>
      <TrackRelease><ReleaseReference>R1</ReleaseReference>
        <ReleaseId><ProprietaryId Namespace="X">1</ProprietaryId></ReleaseId>
        <ReleaseResourceReference>A1</ReleaseResourceReference>
        <Genre><GenreText>Techno</GenreText></Genre><OriginalReleaseDate>2024-05-06</OriginalReleaseDate>
      </TrackRelease>`;
    const of = (release: string, territory: string) =>
      `<ReleaseDeal><DealReleaseReference>${release}</DealReleaseReference>${deal(`<TerritoryCode>${territory}</TerritoryCode>`)}</ReleaseDeal>`;
    const deals = `<DealList>${of('R0', 'DE')}${of('R1', 'AT')}</DealList>`;
    const [recording] = await recordsIn(ern43({ releases, deals }));
    expect(recording!.record).toMatchObject({
      filters: [{ type: 'genre', name: 'Techno' }],
      releaseDate: '2024-05-06',
      region: undefined,
      availability: [{ territories: ['AT', 'DE'] }],
    });
  });

  it('is identified by ISRC, otherwise the own id of the sender, otherwise release and place', async () => {
    const recordings = [
      recording43({ ids: '<ISRC>dea252600001</ISRC>' }),
      recording43({ reference: 'A2', ids: '<ProprietaryId Namespace="X">nl-2</ProprietaryId>' }),
      recording43({ reference: 'A3', ids: '' }),
    ];
    expect((await recordsIn(ern43({ recordings }))).map(({ externalId }) => externalId)).toEqual([
      'DEA252600001',
      'nl-2',
      'ICPN 04012345678901 A3',
    ]);
    const releases = '<Release><ReleaseReference>R0</ReleaseReference><ResourceGroup/></Release>';
    const [nameless] = await recordsIn(ern43({ recordings: [recording43({ ids: '' })], releases }));
    expect(nameless).toMatchObject({
      externalId: undefined,
      problems: [{ field: 'externalId', message: expect.stringContaining('neither an ISRC') }],
    });
  });

  it('is refused if the message has it twice, and with a duration in another form', async () => {
    const recordings = [
      recording43(),
      recording43({ reference: 'A2', duration: '<Duration>3:05</Duration>' }),
    ];
    expect((await recordsIn(ern43({ recordings })))[1]!.problems).toEqual([
      {
        field: 'durationSeconds',
        message: 'must be an ISO 8601 duration such as PT3M5S; it is "3:05"',
      },
      { field: 'externalId', message: 'names the recording in line 20 again' },
    ]);
  });

  it.each([
    ['PT4M', 240],
    ['PT1H2M3S', 3723],
    ['P1DT1S', 86_401],
    ['PT0S', 0],
    ['PT', undefined],
    ['P', undefined],
    ['', undefined],
    ['PT-5S', undefined],
    ['PT1e9S', undefined],
  ])('with the duration %s has %s seconds', async (duration, seconds) => {
    const recordings = [recording43({ duration: `<Duration>${duration}</Duration>` })];
    const [recording] = await recordsIn(ern43({ recordings }));
    expect(recording!.record!.durationSeconds).toBe(seconds);
    expect(recording!.problems).toHaveLength(seconds === undefined && duration !== '' ? 1 : 0);
  });

  it('has the date of its first deal if nothing else has a date', async () => {
    const [recording] = await recordsIn(ern43());
    expect(recording!.record!.releaseDate).toBe('2026-01-01T00:00:00.000Z');
  });

  it('has no credits without names, and its display name without a main artist', async () => {
    const recording = recording43().replace('MainArtist', 'Orchestra').replaceAll('PAnn', 'PNo');
    const [read] = await recordsIn(ern43({ recordings: [recording] }));
    expect(read!.record!.artists).toEqual([
      { name: 'Ann Weir', role: 'MAIN_ARTIST', isPrimary: true },
      { name: '', role: 'ORCHESTRA', isPrimary: false },
    ]);
  });
});

describe('a recording of ERN 3.8', () => {
  it('becomes a record with all that Stave reads', async () => {
    const contributor = (kind: string, name: string, role: string) =>
      `<${kind}><PartyName><FullName>${name}</FullName></PartyName><${kind}Role>${role}</${kind}Role></${kind}>`;
    const details = [
      contributor('ResourceContributor', 'Dee Oak', 'Producer'),
      contributor('IndirectResourceContributor', 'Cy Tree', 'Composer'),
      contributor('IndirectResourceContributor', 'Elm Songs', 'MusicPublisher'),
      '<ParentalWarningType>ExplicitContentEdited</ParentalWarningType>',
    ].join('');
    const file =
      '<PreviewDetails><StartPoint>30</StartPoint></PreviewDetails><File><FileName>1.wav</FileName><FilePath>resources/</FilePath></File>';
    const preview =
      '<File><FileName>1-clip.wav</FileName></File></TechnicalSoundRecordingDetails><TechnicalSoundRecordingDetails>';
    const more =
      '<IndirectSoundRecordingId><ISWC>T0345246801</ISWC></IndirectSoundRecordingId><IsInstrumental>true</IsInstrumental>';
    const message = ern38({ details, more, file: `<IsPreview>true</IsPreview>${preview}${file}` });
    expect(await recordsIn(message)).toEqual([
      {
        line: 15,
        externalId: 'DEA252600001',
        releases: ['ICPN 04012345678901', 'GRid A1ABCDE0000000001Z', 'ISRC DEA252600001'],
        files: ['resources/1.wav'],
        problems: [],
        record: {
          externalId: 'DEA252600001',
          name: 'Night Ferry (Dub)',
          durationSeconds: 185,
          region: 'WORLD',
          releaseDate: '2026-02-03',
          hasVocals: false,
          tags: ['edited for explicit content'],
          isrc: 'DEA252600001',
          iswc: 'T0345246801',
          artists: [
            { name: 'Ann Weir', role: 'MAIN_ARTIST', isPrimary: true },
            { name: 'Dee Oak', role: 'PRODUCER', isPrimary: false },
            { name: 'Cy Tree', role: 'COMPOSER', isPrimary: false },
            { name: 'Elm Songs', role: 'PUBLISHER', isPrimary: false },
          ],
          filters: [
            { type: 'genre', name: 'Ambient' },
            { type: 'genre', name: 'Drone' },
          ],
          previewStartSeconds: 30,
          availability: FROM_2026,
        },
      },
    ]);
  });

  it.each([
    ['<FileName>1.wav</FileName>', '1.wav'],
    ['<FileName>1.wav</FileName><FilePath>resources</FilePath>', 'resources/1.wav'],
    ['<FileName>1.wav</FileName><FilePath>resources/1.wav</FilePath>', 'resources/1.wav'],
    ['<FileName>1.wav</FileName><FilePath>.\\resources\\</FilePath>', 'resources/1.wav'],
    ['<URL>resources/1.wav</URL>', 'resources/1.wav'],
    ['<FileName>1.wav</FileName><FilePath>../x</FilePath>', '../x/1.wav'],
  ])('with the file %s has its audio at %s', async (file, path) => {
    const [recording] = await recordsIn(ern38({ file: `<File>${file}</File>` }));
    expect(recording!.files).toEqual([path]);
  });

  it('has no record if its release is taken down, or has only deals for orders in advance', async () => {
    const takeDown = '<TerritoryCode>Worldwide</TerritoryCode><TakeDown>true</TakeDown>';
    const preOrder = '<IsPreOrderDeal>true</IsPreOrderDeal><TerritoryCode>DE</TerritoryCode>';
    for (const deals of [dealList(deal(takeDown), deal()), dealList(deal(preOrder)), '']) {
      expect(await recordsIn(ern38({ deals }))).toMatchObject([
        { externalId: 'DEA252600001', record: undefined, problems: [] },
      ]);
    }
  });
});
