import { readMessage } from './message.ts';
import { type RecordingRecord, recordsOf } from './records.ts';

/** When the tests read messages. */
const NOW = Date.UTC(2026, 10, 21);

/** Reads a message, and returns what it says about its recordings. */
export async function recordsIn(message: string): Promise<RecordingRecord[]> {
  async function* chunks() {
    yield Buffer.from(message);
  }
  return [...recordsOf(await readMessage(chunks()), NOW)];
}

/** A header of both versions. */
export function header({
  createdAt = '2026-03-01T12:00:00+01:00',
  sender = 'PADPIDA2026010101A',
  more = '',
} = {}): string {
  return `<MessageHeader>
    <MessageThreadId>T-1</MessageThreadId>
    <MessageId>M-1</MessageId>
    <MessageSender>
      <PartyId>${sender}</PartyId>
      <PartyName><FullName>Nordlicht Records</FullName></PartyName>
    </MessageSender>
    <MessageRecipient><PartyId>PADPIDA2026010102B</PartyId></MessageRecipient>
    <MessageCreatedDateTime>${createdAt}</MessageCreatedDateTime>${more}
  </MessageHeader>`;
}

/** A deal without an end, of either version, whose terms a test replaces. */
export function deal(
  terms = '<TerritoryCode>Worldwide</TerritoryCode><ValidityPeriod><StartDate>2026-01-01</StartDate></ValidityPeriod>',
  models: readonly string[] = ['SubscriptionModel'],
): string {
  const uses = models
    .map((model) => `<CommercialModelType>${model}</CommercialModelType>`)
    .join('');
  return `<Deal><DealTerms>${terms}${uses}<UseType>OnDemandStream</UseType></DealTerms></Deal>`;
}

/** The list of deals of one release. */
export function dealList(...deals: readonly string[]): string {
  return `<DealList><ReleaseDeal><DealReleaseReference>R0</DealReleaseReference>${deals.join('')}</ReleaseDeal></DealList>`;
}

/** A recording of ERN 4.3. */
export function recording43({
  reference = 'A1',
  ids = '<ISRC>DEA252600001</ISRC>',
  title = 'Night Ferry',
  duration = '<Duration>PT3M5.5S</Duration>',
  file = '',
  more = '',
} = {}): string {
  const technical =
    file &&
    `<TechnicalDetails><TechnicalResourceDetailsReference>T${reference}</TechnicalResourceDetailsReference><DeliveryFile><Type>AudioFile</Type><File><URI>${file}</URI></File></DeliveryFile></TechnicalDetails>`;
  return `<SoundRecording>
      <ResourceReference>${reference}</ResourceReference>
      <Type>MusicalWorkSoundRecording</Type>
      <SoundRecordingEdition>
        <ResourceId>${ids}</ResourceId>
        <PLine><Year>2026</Year><PLineText>2026 Nordlicht Records</PLineText></PLine>
        ${technical}
      </SoundRecordingEdition>
      <DisplayTitleText>${title}</DisplayTitleText>
      <DisplayTitle ApplicableTerritoryCode="Worldwide" IsDefault="true"><TitleText>${title}</TitleText></DisplayTitle>
      <DisplayArtistName ApplicableTerritoryCode="Worldwide">Ann Weir</DisplayArtistName>
      <DisplayArtist SequenceNumber="1"><ArtistPartyReference>PAnn</ArtistPartyReference><DisplayArtistRole>MainArtist</DisplayArtistRole></DisplayArtist>
      ${duration}${more}
    </SoundRecording>`;
}

/** A message of ERN 4.3 with one release, `R0`. */
export function ern43({
  head = header(),
  parties = '',
  recordings = [recording43()],
  images = '',
  releases,
  deals = dealList(deal()),
  namespace = 'http://ddex.net/xml/ern/43',
}: {
  head?: string;
  parties?: string;
  recordings?: readonly string[];
  images?: string;
  releases?: string;
  deals?: string;
  namespace?: string;
} = {}): string {
  const items = recordings
    .map(
      (_, i) =>
        `<ResourceGroupContentItem><SequenceNumber>${i + 1}</SequenceNumber><ReleaseResourceReference>A${i + 1}</ReleaseResourceReference></ResourceGroupContentItem>`,
    )
    .join('');
  const product = `<Release>
      <ReleaseReference>R0</ReleaseReference>
      <ReleaseType>Album</ReleaseType>
      <ReleaseId><ICPN>04012345678901</ICPN></ReleaseId>
      <DisplayTitleText>Ferries</DisplayTitleText>
      <Genre ApplicableTerritoryCode="Worldwide"><GenreText>Ambient</GenreText><SubGenre>Drone</SubGenre></Genre>
      <ResourceGroup>${items}</ResourceGroup>
    </Release>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<ern:NewReleaseMessage xmlns:ern="${namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="${namespace} ${namespace}/release-notification.xsd"
    ReleaseProfileVersionId="Audio" LanguageAndScriptCode="en" AvsVersionId="3">
  ${head}
  <PartyList>
    <Party><PartyReference>PAnn</PartyReference><PartyName><FullName>Ann Weir</FullName></PartyName></Party>
    ${parties}
  </PartyList>
  <ResourceList>
    ${recordings.join('\n    ')}
    ${images}
  </ResourceList>
  <ReleaseList>
    ${releases ?? product}
  </ReleaseList>
  ${deals}
</ern:NewReleaseMessage>
`;
}

/** A message of ERN 3.8.2 with one recording and a release for it besides the product. */
export function ern38({
  head = header({ sender: 'PADPIDA2026010101A' }),
  details = '',
  ids = '<ISRC>DEA252600001</ISRC>',
  more = '',
  file = '',
  images = '',
  deals = dealList(deal()),
}: {
  head?: string;
  details?: string;
  ids?: string;
  more?: string;
  file?: string;
  images?: string;
  deals?: string;
} = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ern:NewReleaseMessage xmlns:ern="http://ddex.net/xml/ern/382" MessageSchemaVersionId="ern/382" LanguageAndScriptCode="en">
  ${head}
  <UpdateIndicator>OriginalMessage</UpdateIndicator>
  <ResourceList>
    <SoundRecording>
      <SoundRecordingType>MusicalWorkSoundRecording</SoundRecordingType>
      <SoundRecordingId>${ids}</SoundRecordingId>
      <ResourceReference>A1</ResourceReference>
      <ReferenceTitle><TitleText>Night Ferry (reference)</TitleText></ReferenceTitle>
      <Duration>PT3M5S</Duration>${more}
      <SoundRecordingDetailsByTerritory>
        <TerritoryCode>Worldwide</TerritoryCode>
        <Title TitleType="FormalTitle"><TitleText>Night Ferry</TitleText><SubTitle>Dub</SubTitle></Title>
        <DisplayArtist SequenceNumber="1"><PartyName><FullName>Ann Weir</FullName></PartyName><ArtistRole>MainArtist</ArtistRole></DisplayArtist>
        ${details}
        ${file && `<TechnicalSoundRecordingDetails><TechnicalResourceDetailsReference>T1</TechnicalResourceDetailsReference>${file}</TechnicalSoundRecordingDetails>`}
      </SoundRecordingDetailsByTerritory>
    </SoundRecording>
    ${images}
  </ResourceList>
  <ReleaseList>
    <Release IsMainRelease="true">
      <ReleaseId><GRid>A1ABCDE0000000001Z</GRid><ICPN>04012345678901</ICPN></ReleaseId>
      <ReleaseReference>R0</ReleaseReference>
      <ReferenceTitle><TitleText>Ferries</TitleText></ReferenceTitle>
      <ReleaseResourceReferenceList><ReleaseResourceReference ReleaseResourceType="PrimaryResource">A1</ReleaseResourceReference></ReleaseResourceReferenceList>
      <ReleaseType>Album</ReleaseType>
      <ReleaseDetailsByTerritory>
        <TerritoryCode>Worldwide</TerritoryCode>
        <Genre><GenreText>Ambient</GenreText><SubGenre>Drone</SubGenre></Genre>
        <ReleaseDate>2026-02-03</ReleaseDate>
      </ReleaseDetailsByTerritory>
    </Release>
    <Release>
      <ReleaseId><ISRC>DEA252600001</ISRC></ReleaseId>
      <ReleaseReference>R1</ReleaseReference>
      <ReleaseResourceReferenceList><ReleaseResourceReference ReleaseResourceType="PrimaryResource">A1</ReleaseResourceReference></ReleaseResourceReferenceList>
      <ReleaseType>TrackRelease</ReleaseType>
    </Release>
  </ReleaseList>
  ${deals}
</ern:NewReleaseMessage>
`;
}

/** A message that purges the release with this id. */
export function purge(id: string, createdAt = '2026-05-01T00:00:00Z'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ern:PurgeReleaseMessage xmlns:ern="http://ddex.net/xml/ern/43" AvsVersionId="3">
  ${header({ createdAt })}
  <PurgedRelease>
    <ReleaseId>${id}</ReleaseId>
  </PurgedRelease>
</ern:PurgeReleaseMessage>
`;
}
