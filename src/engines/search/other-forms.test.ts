import { describe, expect, it } from 'vitest';
import { builtOver } from './engine.test-support.ts';
import { found, indexOf, matches, track } from './search-rules.test-support.ts';

describe('a romanization', () => {
  it.each([
    ['katyusha', 'Катюша'],
    ['katyush', 'Катюша'],
    ['katyusha remix', 'Катюша (Remix)'],
    ['yolka', 'Ёлка'],
    ['elka', 'Ёлка'],
    ['gorbachov', 'Горбачёв'],
    ['gorbachyov', 'Горбачёв'],
    ['dostoyevskiy', 'Достоевский'],
    ['dostoevskij', 'Достоевский'],
    ['shelkunchik', 'Щелкунчик'],
    ['dilwale', 'दिलवाले'],
    ['omar', 'عمر'],
    ['abdel halim', 'عبد الحليم'],
    ['abd el halim', 'عبد الحليم'],
    ['tzedek', 'צדק'],
    ['tsedek', 'צדק'],
    ['hayim', 'חיים'],
    ['chaim', 'חיים'],
    ['tzahal', 'צה"ל'],
    ['gorbachev', 'Горбачёв'],
    ['raburetaa', 'ラブレター'],
    ['rabureta', 'ラブレター'],
    ['raburetaa', 'ラブ・レター'],
    ['sarang', '사랑'],
    ['beijing', '北京'],
    ['bei jing', '北京'],
    ['beijing', '我爱北京天安门'],
    ['chongqing', '重庆'],
    ['chongqing', '重慶'],
    ['bouzouki', 'Μπουζούκι'],
    ['habibi', 'حبيبي'],
    ['hbb', 'حبيبي'],
    ['shalom', 'שלום'],
    ['sawatdi', 'สวัสดี'],
    ['zindagi', 'ज़िंदगी'],
    ['pugacheva', 'Пугачёва'],
    ['pugachyova', 'Пугачёва'],
    ['pugachova', 'Пугачёва'],
    ['pyotr', 'ПЁТР'],
    ['pyotr', 'Пе\u0308тр'],
    ['solovyov', 'Соловьёв'],
    ['prokofiev', 'Прокофьев'],
    ['prokofev', 'Прокофьев'],
    ['obyekt', 'Объект'],
    ['delyo', 'Дельо'],
    ['mussorgsky', 'Мусоргский'],
    ['rossiya', 'Россия'],
    ['rembetiko', 'Ρεμπέτικο'],
    ['rebetiko', 'Ρεμπέτικο'],
    ['pende', 'Πέντε'],
    ['anglia', 'Αγγλία'],
    ['angyra', 'Άγκυρα'],
    ['raghupati', 'रघुपति'],
    ['mataram', 'मातरम्'],
    ['jana', 'जन'],
    ['jan', 'जन'],
    ['omar', 'عمر'],
    ['nancy', 'نانسي'],
    ['abdel halim', 'عبد الحليم'],
    ['abdulrahman', 'عبدالرحمن'],
    ['abdul rahman', 'عبد الرحمن'],
    ['haza', 'חזה'],
    ['chaim', 'חיים'],
    ['eretz', 'ארץ'],
    ['tsahal', 'צה"ל'],
    ['katjuscha', 'Катюша'],
    ['ja svoboden', 'Я свободен'],
    ['eho ljubvi', 'Эхо любви'],
    ['tschaikowski', 'Чайковский'],
    ['rachmaninov', 'Рахманинов'],
    ['rachmaninoff', 'Рахманинов'],
    ['oj mama', 'Ой, мама!'],
    ['djurdjevdan', 'Ђурђевдан'],
    ['đurđevdan', 'Ђурђевдан'],
    ['mpouzouki', 'Μπουζούκι'],
    ['eucharisto', 'Ευχαριστώ'],
    ['gkremos', 'Γκρεμός'],
    ['aggelos', 'Άγγελος'],
    ['ntefi', 'Ντέφι'],
    ['autos', 'Αυτός'],
    ['zeibekiko', 'Ζεϊμπέκικο'],
    ['kwōku', 'クォーク'],
    ['yerō', 'イェロー'],
    ['mukho', '묵호'],
    ['muko', '묵호'],
    ['joa', '좋아'],
    ['laxmi', 'लक्ष्मी'],
    ['jnan', 'ज्ञान'],
    ['gyan', 'ज्ञान'],
    ['israel', 'ארץ ישראל'],
    ['yisrael', 'ישראל'],
    ['zion', 'ציון'],
    ['tsiyon', 'ציון'],
    ['zahav', 'זהב'],
    ['ima', 'אמא'],
    ['abba', 'אבא'],
    ['ayni', 'عيني'],
    ['aini', 'عيني'],
    ['ya ayni', 'يا عيني'],
    ['ana', 'أنا'],
  ])('%s finds %s', (text, name) => {
    expect(found(['Moon', name, 'Night'], text)).toEqual([name]);
  });

  it.each([
    ['katyusha', 'Катя'],
    ['beijing', '北海'],
    ['salam', 'حبيب'],
    ['shalom', 'שלג'],
    ['sarang', '사람'],
  ])('%s does not find %s', (text, name) => {
    expect(found([name], text)).toEqual([]);
  });

  it.each([
    ['katyusha and kalinka', 'Катюша & Калинка'],
    ['katyusha & kalinka', 'Катюша and Калинка'],
    ['katyusha ft. zemfira', 'Катюша feat. Земфира'],
    ['kalinka nr 5', 'Калинка No. 5'],
    ['kalinka #5', 'Калинка №5'],
    ['beijing volume 2', '北京 Vol. 2'],
    ['sakura pt 2', 'サクラ Part II'],
    ['sarang and ibyeol', '사랑 & 이별'],
    ['lyubov second', 'Любовь 2nd'],
    ['fairuz and warda', 'فيروز & وردة'],
    ['fairuz volume 2', 'فيروز Vol. II'],
  ])('with another spelling: %s finds %s', (text, name) => {
    expect(found(['Moon', name, 'Night'], text)).toEqual([name]);
  });

  it('completes a name', () => {
    expect(indexOf('Катюша', 'Moon').suggest('katyu', 10)).toEqual(['Катюша']);
  });
});

describe('equal letters', () => {
  it.each([
    ['حبيبى', 'حبيبي'],
    ['حبیبی', 'حبيبي'],
    ['کتاب', 'كتاب'],
    ['احبك', 'أحبك'],
    ['امال', 'آمال'],
    ['حياه', 'حياة'],
    ['سلام', 'سـلام'],
    ['محمد', 'مُحَمَّد'],
    ['צהל', 'צה"ל'],
    ['צהל', 'צה״ל'],
    ['שלום', 'שָׁלוֹם'],
    ['जिंदगी', 'ज़िंदगी'],
    ['हिंदी', 'हिन्दी'],
    ['7', '٧'],
    ['7', '᭗'],
    ['love', 'ｌｏｖｅ'],
    ['らぶ', 'ﾗﾌﾞ'],
    ['重庆', '重慶'],
    ['音樂', '音乐'],
  ])('%s and %s find each other', (one, other) => {
    expect(found([other], one)).toEqual([other]);
    expect(found([one], other)).toEqual([one]);
  });
});

describe('other spellings', () => {
  it.each([
    ['drugs and hip hop', 'Sex, Drugs & Hip Hop'],
    ['drum bass', 'Drum and Bass'],
    ['drum und bass', 'Drum + Bass'],
    ['sol luna', 'Sol y Luna'],
    ['night someone', 'Night (feat. Someone)'],
    ['night featuring someone', 'Night ft. Someone'],
    ['dance me', 'Dance with Me'],
    ['no. 5', 'Track #5'],
    ['#5', 'Symphony Nr. 5'],
    ['symphony nr v', 'Symphony No. 5'],
    ['symphony #v', 'Symphony No. 5'],
    ['№ 5', 'Symphony No. 5'],
    ['volume 2', 'Hits Vol. 2'],
    ['vol. 2', 'Hits Volume 2'],
    ['part 2', 'Suite Pt. 2'],
    ['rocky 2', 'Rocky II'],
    ['rocky ii', 'Rocky 2'],
    ['rocky xx', 'Rocky 20'],
    ['vol. 4 prelude', 'Vol. IV: Prelude'],
    ['pt 2', 'Suite, Part Two'],
    ['volume iii', 'Hits Volume Three'],
    ['second sun', '2nd Sun'],
    ['10th sun', 'Tenth Sun'],
    ['wifi', 'Wi-Fi'],
    ['wi-fi', 'Wifi'],
    ['usa', 'U.S.A.'],
    ['u.s.a.', 'USA'],
    ['acdc', 'AC/DC'],
    ['ac/dc', 'ACDC'],
    ['pink', 'P!nk'],
    ['asap', 'A$AP'],
    ['suicideboys', '$uicideboy$'],
    ['euro', '€uro'],
    ['ahome', '@home'],
    ['love', 'L0ve'],
    ['killer', 'K1ller'],
    ['love', '1ove'],
    ['electro', '3lectro'],
    ['!!!', '!!!'],
    ['♥', '♥'],
    ['♥', 'I ♥ you'],
  ])('%s finds %s', (text, name) => {
    expect(found(['Moon', name, 'Stars'], text)).toEqual([name]);
  });

  it.each([
    ['hei', 'He!'],
    ['ist', '1st'],
    ['look', '100k'],
    ['ioo', '100'],
    ['no. 5', 'Take 5'],
    ['rocky and', 'Rocky'],
    ['rocky ii', 'Rocky 2010'],
    ['no 1', 'No One'],
    ['117', '11-7'],
  ])('%s does not find %s', (text, name) => {
    expect(found([name], text)).toEqual([]);
  });

  it('of artists and tags are found, too', () => {
    const index = builtOver([
      track(0, { artists: ['P!nk'] }),
      track(1, { tags: ['hip-hop'] }),
      track(2, { artists: ['Кино'] }),
      track(3, { aliases: ['Ночь'] }),
    ]);
    const fields = { in: ['name', 'artists', 'tags'] } as const;
    expect(matches(index, { text: 'pink', ...fields })).toEqual([0]);
    expect(matches(index, { text: 'hiphop', ...fields })).toEqual([1]);
    expect(matches(index, { text: 'kino', ...fields })).toEqual([2]);
    expect(matches(index, { text: 'kino' })).toEqual([]);
    expect(matches(index, { text: 'noch', aliases: true })).toEqual([3]);
    expect(matches(index, { text: 'noch' })).toEqual([]);
    expect(index.suggest('noch', 5, true)).toEqual(['Ночь']);
  });
});

describe('the written form', () => {
  it('ranks above other forms of the same kind of match', () => {
    expect(found(['P!nk', 'Pink'], 'pink')).toEqual(['Pink', 'P!nk']);
    expect(found(['愛', '爱'], '爱')).toEqual(['爱', '愛']);
    expect(found(['P!nk', 'P!nk Moon', 'Pink Moon', 'Pink'], 'pink')).toEqual([
      'Pink',
      'P!nk',
      'Pink Moon',
      'P!nk Moon',
    ]);
    expect(found(['A P!nk', 'A Pink', 'Pinky', 'P!nky', 'P!nk'], 'pink')).toEqual([
      'P!nk',
      'A Pink',
      'A P!nk',
      'Pinky',
      'P!nky',
    ]);
    expect(found(['Rock Roll', 'Rock and Roll'], 'rock and roll')).toEqual([
      'Rock and Roll',
      'Rock Roll',
    ]);
  });

  it('returns each track once if only one of several segments has other forms', async () => {
    const index = builtOver([track(2, { name: 'が' })], { rebuildUpTo: 0, mergeAtLeast: Infinity });
    await index.apply([track(1, { name: 'part' })], [], 1);
    const { rowIds } = index.search({ text: 'a' }, { offset: 0, limit: 9, facets: true });
    expect(rowIds).toEqual([2, 3]);
  });
});
