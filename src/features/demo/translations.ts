import type { Filter } from '../catalog/track.ts';
import type { FilterTranslation, PlaylistText } from '../languages/translations.ts';

/** The languages of the tables, in the order of their columns after the English text. */
const LANGUAGES = ['de', 'ja'];

export const DEMO_LANGUAGE = 'en';

const TRACKS = table(`
Harbour at First Light | Hafen im ersten Licht | 夜明けの港
Paper Boats | Papierschiffchen | 紙の舟
Rooftop Cassette | Kassette über den Dächern | 屋上のカセット
Neon Causeway | Straße aus Neon | ネオン・コーズウェイ
Seventh Street Stroll | Bummel durch die Siebte Straße | 七番街の散歩
Night Bus Home | Nachtbus nach Hause | 帰り道の深夜バス
The Cartographer | Der Kartograf | 地図を描く人
Copper Kettle Reel | Kupferkessel-Reel | 銅のやかんのリール
Basement Sunrise | Sonnenaufgang im Keller | 地下室の日の出
Level Select | Levelauswahl | ステージセレクト
Lullaby for a Clockmaker | Wiegenlied für einen Uhrmacher | 時計職人のための子守唄
Praia do Vento | Strand des Windes | 風の浜辺
Glass Elevator | Gläserner Aufzug | ガラスのエレベーター
Evensong | Abendgebet | 夕べの祈り
Slow Current | Träge Strömung | ゆるやかな流れ
Corner Office | Eckbüro | 角部屋のオフィス
Two-Dollar Telescope | Fernrohr für zwei Dollar | 2ドルの望遠鏡
Salt Road | Salzstraße | 塩の道
Aurora Engine | Polarlichtmaschine | オーロラ・エンジン
Midnight Snow | Schnee um Mitternacht | 真夜中の雪
A Night in the Lobby | Eine Nacht in der Lobby | ロビーの夜
Waltz of the Paper Moon | Walzer vom Papiermond | 紙の月のワルツ
Overclock | Übertaktet | オーバークロック
Ten Thousand Lanterns | Zehntausend Laternen | 一万の灯籠
Whoosh Past | Vorbeirauschen | 通り過ぎる風切り音
Button Click | Tastenklick | ボタンのクリック音
Rain on a Tin Roof | Regen auf dem Blechdach | トタン屋根の雨音
Wind over a Ridge | Wind über dem Bergrücken | 尾根を渡る風
Coin Pick-Up | Münze eingesammelt | コイン獲得
Three Knocks | Dreimaliges Klopfen | 三回のノック
Bedside Alarm | Wecker am Bett | 枕元の目覚まし時計
Distant Thunder | Ferner Donner | 遠雷
Footsteps on Gravel | Schritte auf Kies | 砂利道の足音
Heartbeat | Herzschlag | 心臓の鼓動
Laser Shot | Laserschuss | レーザー発射音
Page Turn | Umblättern | ページをめくる音
`);

const FILTERS = table(`
Ambient | Ambient | アンビエント
Classical | Klassik | クラシック
Piano | Klavier | ピアノ
Lo-Fi | Lo-Fi | ローファイ
Hip-Hop | Hip-Hop | ヒップホップ
Synthwave | Synthwave | シンセウェイヴ
Electronic | Elektronisch | エレクトロニック
Jazz | Jazz | ジャズ
Cinematic | Filmisch | シネマティック
Orchestral | Orchester | オーケストラ
Folk | Folk | フォーク
Acoustic | Akustisch | アコースティック
House | House | ハウス
Chiptune | Chiptune | チップチューン
Children | Kinder | 子ども
Bossa Nova | Bossa Nova | ボサノヴァ
Trap | Trap | トラップ
Choral | Chormusik | 合唱
Dub | Dub | ダブ
Reggae | Reggae | レゲエ
Pop | Pop | ポップ
Corporate | Unternehmen | 企業
Funk | Funk | ファンク
World | Weltmusik | ワールドミュージック
Lounge | Lounge | ラウンジ
Transition | Übergänge | トランジション
Interface | Bedienoberfläche | インターフェース
Nature | Natur | 自然
Game | Computerspiel | ゲーム効果音
Foley | Foley | フォーリー
Household | Haushalt | 生活音
Human | Mensch | 人体
Calm | Ruhig | 穏やか
Hopeful | Hoffnungsvoll | 希望
Tender | Zärtlich | 優しい
Nostalgic | Nostalgisch | ノスタルジック
Relaxed | Entspannt | リラックス
Driving | Treibend | 疾走感
Playful | Verspielt | 遊び心
Melancholic | Melancholisch | 物悲しい
Epic | Episch | 壮大
Tense | Spannungsgeladen | 緊張感
Happy | Fröhlich | 楽しい
Energetic | Energiegeladen | エネルギッシュ
Romantic | Romantisch | ロマンチック
Dark | Düster | ダーク
Solemn | Feierlich | 荘厳
Meditation | Meditation | 瞑想
Documentary | Dokumentarfilm | ドキュメンタリー
Film | Film | 映画
Wedding | Hochzeit | 結婚式
Study | Lernen | 勉強
Podcast | Podcast | ポッドキャスト
Gaming | Gaming | ゲーム
Trailer | Trailer | 予告編
Restaurant | Restaurant | レストラン
Vlog | Vlog | Vlog
Advertising | Werbung | 広告
Fashion | Mode | ファッション
Sport | Sport | スポーツ
Travel | Reise | 旅行
Science | Wissenschaft | 科学
Theater | Theater | 演劇
App | App | アプリ
`);

const TAGS = table(`
808 | 808 | 808
80s | 80er | 80年代
8-bit | 8-Bit | 8ビット
adventure | Abenteuer | 冒険
air | Luft | 空気
arcade | Spielhalle | アーケード
arpeggio | Arpeggio | アルペジオ
bass | Bass | ベース
beach | Strand | ビーチ
beats | Beats | ビート
beep | Piepton | 電子音
bells | Glocken | ベル
body | Körper | 身体
bonus | Bonus | ボーナス
book | Buch | 本
boss fight | Bosskampf | ボス戦
brass | Blechbläser | ブラス
bright | hell | 明るい
build | Steigerung | 盛り上がり
choir | Chor | 合唱
claps | Klatschen | クラップ
clock | Uhr | 時計
club | Club | クラブ
cool | cool | クール
dance | Tanz | ダンス
door | Tür | ドア
drone | Drone | ドローン
drops | Tropfen | 雨粒
drums | Schlagzeug | ドラム
echo | Echo | エコー
evening | Abend | 夕暮れ
fast | schnell | 速い
felt piano | Filzklavier | フェルトピアノ
finale | Finale | フィナーレ
flute | Flöte | フルート
four on the floor | Four-to-the-Floor | 四つ打ち
groove | Groove | グルーヴ
guitar | Gitarre | ギター
half-time | Halftime | ハーフタイム
hand | Hand | 手
howl | Heulen | うなり
journey | Reise | 旅
late night | spätnachts | 深夜
loop | Loop | ループ
low | tief | 低音
lullaby | Wiegenlied | 子守唄
marimba | Marimba | マリンバ
mechanical | mechanisch | 機械音
moonlight | Mondlicht | 月光
morning | Morgen | 朝
music box | Spieluhr | オルゴール
night | Nacht | 夜
nylon guitar | Konzertgitarre | ナイロンギター
organ | Orgel | オルガン
outdoors | draußen | 屋外
paper | Papier | 紙
pass-by | Vorbeiflug | 通過音
pulse | Puls | 脈拍
rain | Regen | 雨
retro | retro | レトロ
sacred | geistlich | 神聖
sci-fi | Science-Fiction | SF
short | kurz | 短い
slap | Slap | スラップ
slow | langsam | スロー
soft | sanft | やわらかい
solo | solo | ソロ
space | Weltraum | 宇宙
sparse | reduziert | ミニマル
stones | Steine | 石
storm | Gewitter | 嵐
strings | Streicher | ストリングス
swing | Swing | スウィング
tape | Tonband | テープ
trio | Trio | トリオ
ui | UI | UI
vibraphone | Vibrafon | ヴィブラフォン
vinyl | Schallplatte | レコード
voice | Stimme | 歌声
walk | Gehen | 歩行
waltz | Walzer | ワルツ
water | Wasser | 水
weapon | Waffe | 武器
weather | Wetter | 天気
whistle | Blechflöte | ホイッスル
wide | weit | 広がり
winter | Winter | 冬
wood | Holz | 木
`);

const PLAYLISTS = table(`
Quiet Focus | Ruhige Konzentration | 静かな集中
Calm pieces without words, for work and for thought. | Ruhige Stücke ohne Worte, zum Arbeiten und Nachdenken. | 仕事や考えごとのための、歌のない穏やかな曲。
Night Drive | Nachtfahrt | 夜のドライブ
Lights, motorways, and nobody else on the road. | Lichter, Autobahnen und sonst niemand auf der Straße. | 灯り、高速道路、ほかに誰もいない道。
Autumn Pitch (not yet shared) | Herbstauswahl (noch nicht freigegeben) | 秋の提案（未共有）
Granted to nobody so far. | Bisher für niemanden freigegeben. | まだ誰にも公開されていません。
`);

/** Returns the member `translations` of the import record of a track. */
export function trackTranslations(name: string, tags: readonly string[]): object {
  const names = translated(TRACKS, name);
  const words = tags.map((tag) => translated(TAGS, tag));
  return Object.fromEntries(
    LANGUAGES.map((language, i) => [
      language,
      { name: names[i], tags: words.map((texts) => texts[i]) },
    ]),
  );
}

/** Returns the names of a filter of the demo in each language; none for other filters. */
export function filterTranslations({ id, name }: Filter): (FilterTranslation & { name: string })[] {
  const names = FILTERS.get(name) ?? [];
  return names.map((text, i) => ({ filter: id, language: LANGUAGES[i]!, name: text }));
}

export function playlistTexts({
  name,
  description,
}: {
  name: string;
  description: string;
}): PlaylistText[] {
  const names = translated(PLAYLISTS, name);
  const descriptions = translated(PLAYLISTS, description);
  return LANGUAGES.map((language, i) => ({
    language,
    name: names[i]!,
    description: descriptions[i]!,
  }));
}

/** Returns a text in the languages, in their order. */
function translated(
  texts: ReadonlyMap<string, readonly string[]>,
  english: string,
): readonly string[] {
  const found = texts.get(english);
  if (found === undefined) throw new RangeError(`the demo has no translation of ${english}`);
  return found;
}

/** Reads lines of an English text and its translations. */
function table(lines: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [english, ...others] = line.split(' | ');
        return [english!, others];
      }),
  );
}
