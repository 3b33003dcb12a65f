/** The words of the picker in one language. */
export interface Texts {
  search: string;
  brief: string;
  describe: string;
  genre: string;
  mood: string;
  'use-case': string;
  results: string;
  none: string;
  loading: string;
  more: string;
  play: string;
  pause: string;
  position: string;
  select: string;
  silent: string;
  failed: string;
  again: string;
  unplayable: string;
  tracks: string;
}

type Members = readonly (keyof Texts)[];

/** The order of the words in the table. */
const MEMBERS: Members = [
  ...(['search', 'brief', 'describe', 'genre', 'mood', 'use-case', 'results'] as const),
  ...(['none', 'loading', 'more', 'play', 'pause', 'position', 'select', 'silent'] as const),
  ...(['failed', 'again', 'unplayable', 'tracks'] as const),
];

const TABLE: Readonly<Record<string, string>> = {
  en: 'Search music|In your own words|Describe what you need|Genre|Mood|Use|Results|Nothing was found.|Loading …|Show more|Play|Pause|Position|Use track|No audio|The music could not be loaded.|Try again|This track cannot be played.|Tracks',
  de: 'Musik suchen|Mit eigenen Worten|Beschreiben, was gebraucht wird|Genre|Stimmung|Verwendung|Treffer|Nichts gefunden.|Wird geladen …|Mehr zeigen|Abspielen|Anhalten|Position|Titel verwenden|Kein Ton|Die Musik konnte nicht geladen werden.|Erneut versuchen|Dieser Titel lässt sich nicht abspielen.|Titel',
  fr: 'Chercher de la musique|Avec vos mots|Décrivez ce qu’il vous faut|Genre|Ambiance|Usage|Résultats|Aucun résultat.|Chargement…|Afficher plus|Écouter|Pause|Position|Utiliser ce titre|Sans audio|La musique n’a pas pu être chargée.|Réessayer|Ce titre ne peut pas être lu.|Titres',
  es: 'Buscar música|Con sus palabras|Describa lo que necesita|Género|Ambiente|Uso|Resultados|No se encontró nada.|Cargando…|Mostrar más|Reproducir|Pausar|Posición|Usar pista|Sin audio|No se pudo cargar la música.|Reintentar|Esta pista no se puede reproducir.|Pistas',
  it: 'Cerca musica|Con parole proprie|Descrivi che cosa ti serve|Genere|Atmosfera|Uso|Risultati|Nessun risultato.|Caricamento…|Mostra altro|Riproduci|Pausa|Posizione|Usa brano|Senza audio|Impossibile caricare la musica.|Riprova|Questo brano non può essere riprodotto.|Brani',
  pt: 'Procurar música|Pelas suas palavras|Descreva o que precisa|Género|Ambiente|Uso|Resultados|Nada encontrado.|A carregar…|Mostrar mais|Reproduzir|Pausar|Posição|Usar faixa|Sem áudio|Não foi possível carregar a música.|Tentar novamente|Esta faixa não pode ser reproduzida.|Faixas',
  nl: 'Muziek zoeken|In eigen woorden|Beschrijf wat je nodig hebt|Genre|Sfeer|Gebruik|Resultaten|Niets gevonden.|Laden …|Meer tonen|Afspelen|Pauzeren|Positie|Nummer gebruiken|Geen audio|De muziek kon niet worden geladen.|Opnieuw proberen|Dit nummer kan niet worden afgespeeld.|Nummers',
  pl: 'Szukaj muzyki|Własnymi słowami|Opisz, czego potrzebujesz|Gatunek|Nastrój|Zastosowanie|Wyniki|Nic nie znaleziono.|Ładowanie…|Pokaż więcej|Odtwórz|Wstrzymaj|Pozycja|Użyj utworu|Bez dźwięku|Nie udało się wczytać muzyki.|Spróbuj ponownie|Tego utworu nie można odtworzyć.|Utwory',
  ja: '音楽を検索|文章で探す|必要な音楽を説明してください|ジャンル|ムード|用途|検索結果|見つかりませんでした。|読み込み中…|さらに表示|再生|一時停止|再生位置|この曲を使う|音声なし|音楽を読み込めませんでした。|再試行|この曲は再生できません。|曲',
  ko: '음악 검색|문장으로 찾기|필요한 음악을 설명하세요|장르|분위기|용도|결과|검색 결과가 없습니다.|불러오는 중…|더 보기|재생|일시정지|재생 위치|이 곡 사용|오디오 없음|음악을 불러올 수 없습니다.|다시 시도|이 곡은 재생할 수 없습니다.|곡',
};

/** The languages of the picker, in the form of BCP 47. */
export const LANGUAGES: readonly string[] = Object.keys(TABLE);

/** Returns the language of the picker for a tag such as `pt-BR`: the nearest one, or English. */
export function languageFor(tag: string): string {
  const short = tag.toLowerCase().split('-', 1)[0]!;
  return LANGUAGES.includes(short) ? short : 'en';
}

export function textsIn(language: string): Texts {
  const words = TABLE[language]!.split('|');
  return Object.fromEntries(MEMBERS.map((member, i) => [member, words[i]!])) as unknown as Texts;
}
