/** Makes a table of texts like `а a б b`. A text without a romanization is followed by `-`. */
function table(pairs: string): Map<string, string> {
  const words = pairs.trim().split(/\s+/);
  const found = new Map<string, string>();
  for (let i = 0; i < words.length; i += 2) {
    found.set(words[i]!, words[i + 1] === '-' ? '' : words[i + 1]!);
  }
  return found;
}

function changed(from: ReadonlyMap<string, string>, pairs: string): Map<string, string> {
  return new Map([...from, ...table(pairs)]);
}

// ICAO and BGN/PCGN; marks are folded before, so й and ї arrive without them.
const USUAL = table(`
  а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts
  ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya і i ї yi є ye ґ g ў u ѕ dz ј j љ lj њ nj ђ dj ћ c џ dz һ h
  қ k ғ g ң ng ө o ү u ұ u ә a
`);
export const CYRILLIC = {
  usual: USUAL,
  shorter: changed(USUAL, 'ё e х h ц c щ sch'),
  spoken: changed(USUAL, 'щ sh'),
  /** As in German and other languages whose j is a y. */
  withJ: changed(USUAL, 'ё jo х ch ю ju я ja'),
  /** The Latin alphabet of Serbian, without its marks. */
  serbian: changed(USUAL, 'ж z х h ц c ч c ш s ђ d'),
  /** ISO 9 and the scholarly romanization, without their marks. */
  scholarly: changed(USUAL, 'ё jo ж z х h ц c ч c ш s щ sc ю ju я ja'),
  german: changed(USUAL, 'ё jo ж sch з s х ch ц z ч tsch ш sch щ schtsch ю ju я ja'),
};

// ELOT 743 and ISO 843.
const WRITTEN = table(`
  α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o
  ου ou γγ ng γξ nx γχ nch b b d d g g v v f f
`);
export const GREEK = {
  written: WRITTEN,
  spoken: changed(WRITTEN, 'αι e ει i οι i χ h γκ g υ i ου u'),
  /** As it is typed on a Latin keyboard. */
  typed: changed(WRITTEN, 'γγ gg αυ au ευ eu ηυ iu'),
};

export const KANA: ReadonlyMap<string, string> = table(`
  あ a い i う u え e お o か ka き ki く ku け ke こ ko が ga ぎ gi ぐ gu げ ge ご go
  さ sa し shi す su せ se そ so ざ za じ ji ず zu ぜ ze ぞ zo た ta ち chi つ tsu て te と to
  だ da ぢ ji づ zu で de ど do な na に ni ぬ nu ね ne の no は ha ひ hi ふ fu へ he ほ ho
  ば ba び bi ぶ bu べ be ぼ bo ぱ pa ぴ pi ぷ pu ぺ pe ぽ po ま ma み mi む mu め me も mo
  や ya ゆ yu よ yo ら ra り ri る ru れ re ろ ro わ wa ゐ i ゑ e を o ん n ゔ vu っ っ
  ぁ a ぃ i ぅ u ぇ e ぉ o ゃ ya ゅ yu ょ yo ゎ wa ゕ ka ゖ ke
  きゃ kya きゅ kyu きょ kyo ぎゃ gya ぎゅ gyu ぎょ gyo しゃ sha しゅ shu しょ sho しぇ she
  じゃ ja じゅ ju じょ jo じぇ je ちゃ cha ちゅ chu ちょ cho ちぇ che ぢゃ ja ぢゅ ju ぢょ jo
  にゃ nya にゅ nyu にょ nyo ひゃ hya ひゅ hyu ひょ hyo びゃ bya びゅ byu びょ byo
  ぴゃ pya ぴゅ pyu ぴょ pyo みゃ mya みゅ myu みょ myo りゃ rya りゅ ryu りょ ryo
  ふぁ fa ふぃ fi ふぇ fe ふぉ fo ふゅ fyu ゔぁ va ゔぃ vi ゔぇ ve ゔぉ vo てぃ ti でぃ di
  とぅ tu どぅ du うぃ wi うぇ we うぉ wo つぁ tsa つぃ tsi つぇ tse つぉ tso てゅ tyu でゅ dyu
  くぁ kwa くぃ kwi くぇ kwe くぉ kwo ぐぁ gwa いぇ ye ゔゅ vyu すぃ si ずぃ zi
`);

export const DEVANAGARI = {
  consonants: table(`
    क k ख kh ग g घ gh ङ n च ch छ chh ज j झ jh ञ n ट t ठ th ड d ढ dh ण n त t थ th द d ध dh न n
    प p फ ph ब b भ bh म m य y र r ल l ळ l व v श sh ष sh स s ह h
  `),
  vowels: table(`
    अ a आ aa इ i ई ī उ u ऊ ū ऋ ri ए e ऐ ai ओ o औ au ऑ o ऍ e
    ा aa ि i ी ī ु u ू ū ृ ri े e ै ai ो o ौ au ॉ o ॅ e
  `),
};
