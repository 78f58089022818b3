import type { Messages } from './en.ts'
import { createDateFormat } from './texts.ts'

/** Kiswahili, as mobile money in East Africa words it. */
export const kiswahili: Messages = {
  wording: 'sw',
  allYouHave: 'pesa zako zote',
  enterAmount: (to) => `Kwa: ${to}\nKiasi, au zote:\n0. Rudi`,
  amountsIn: (unit) => `Kiasi kwa ${unit}`,
  noRate: (local) => `${local}: bei haijulikani sasa.`,
  amountsNotIn: (local, unit) => `Bei ya ${local} haijulikani: andika ${unit}, SI ${local}`,
  sendAgain: 'Tuma tena',
  change: 'Badilisha',
  age: (minutes) => {
    if (minutes === 0) return 'Sasa hivi'
    return minutes < 60
      ? `Dakika ${minutes} zilizopita`
      : `Saa ${Math.floor(minutes / 60)} zilizopita`
  },
  repeated: (amount, to, age) =>
    age === undefined
      ? `Tuma ${amount}\nKwa: ${to}?`
      : `Ulituma ${amount}\nKwa: ${to}\n${age}. Utume tena?`,
  paidBefore: (payment, age) =>
    `${payment}\n${age}. Hakuna zaidi kilichotumwa. Tafadhali piga tena.`,
  date: createDateFormat('Jan Feb Mac Apr Mei Jun Jul Ago Sep Okt Nov Des'),
  hasFailed: 'Malipo yameshindikana: ona 5',
  pin: {
    choose: 'Chagua PIN ya tarakimu 4 hadi 6. Inalinda pesa zako: usimwambie mtu.',
    again: 'Andika PIN ile ile tena.',
    enter: {
      see: 'Weka PIN yako',
      change: 'Weka PIN yako ya sasa',
      confirm: 'Weka PIN kukubali',
    },
    form: 'PIN ina tarakimu 4 hadi 6.',
    easy: 'PIN hii ni rahisi kukisia.',
    differs: 'PIN hizi mbili ni tofauti.',
    forgot: 'Umesahau? Andika 00, kisha 8.',
    wrong: (left) =>
      `PIN si sahihi. ${left === 1 ? 'Limebaki jaribio 1' : `Yamebaki majaribio ${left}`}.`,
    locked: {
      blocked:
        'PIN 3 zisizo sahihi: huwezi kutuma. Hakuna kilichotumwa. Piga tena, andika 8, kisha 3: PIN mpya baada ya saa 24.',
      unset: 'Huna PIN. Hakuna kilichotumwa. Tafadhali piga tena uchague moja.',
      dormant: (help) =>
        `Simu hii haikutumika kwa siku 90. Hakuna kilichotumwa. ${help === undefined ? 'Mwombe mtoa huduma afungue' : `Piga ${help} ili kufungua`} akaunti tena.`,
    },
    isBlocked: 'Imefungwa. PIN mpya: 8, kisha 3',
    waits: (hours) => `PIN mpya baada ya saa ${hours}`,
    isSet: 'PIN yako imewekwa.',
    chosen: 'PIN yako imewekwa. Tafadhali piga tena.',
    unchanged: 'Hakuna kilichobadilishwa. Tafadhali piga tena.',
    forgotten:
      'Utaweza kuchagua PIN mpya baada ya saa 24. PIN ya zamani ikiandikwa kabla, yote yatabaki yalivyo.',
    forgottenBlocked: 'Utaweza kuchagua PIN mpya baada ya saa 24.',
    requested: (time) =>
      `Utaweza kuchagua PIN mpya kuanzia ${time}: piga tena wakati huo. Bila PIN utapokea pesa, hutatuma. Ukiomba tena, muda haubadiliki.`,
  },
  failed: (label) => `${label}: IMESHINDIKANA\nHakuna pesa zilizohamishwa. Tafadhali piga tena.`,
  nothingMoved: 'Hakuna pesa zilizohamishwa.',
  languageChosen: 'Lugha yako sasa ni Kiswahili. Tafadhali piga tena.',
  more: 'Zaidi',
  back: 'Rudi',

  receipt: {
    number: (number) => `Kumb: ${number}`,
    noFee: 'Ada: hakuna',
    fee: (amount) => `Ada: ${amount}`,
    balanceAfter: (amount) => `Salio baadaye: takriban ${amount}`,
    owedAfter: (amount) => `Utadaiwa: ${amount}`,
  },
  queued: 'kwenye foleni',
  queuedFor: (minutes: string) => `kwenye foleni, dakika ${minutes} hivi`,

  unknownChoice: 'Tafadhali chagua kwenye orodha.',
  notSentYet: 'Bado haijatumwa.',
  askAgain: (mistake) => `${mistake} Tafadhali jaribu tena.`,
  badRecipient: {
    unknown_form: 'Anwani au namba ya simu si sahihi.',
    bad_checksum: 'Anwani hii ina kosa la kuandika.',
    own_number: 'Hii ni namba yako mwenyewe.',
    own_account: 'Hii ni akaunti yako mwenyewe.',
    zero_address: 'Anwani sifuri si ya mtu: pesa hupotea.',
    nobody: 'Hakuna mwenye pochi kwenye anwani hii: pesa hupotea.',
    bridge: 'Hii ni anwani ya daraja: hupati BTC kwa njia hii, pesa hupotea.',
    contract: 'Anwani hii ni mkataba wa huduma hii.',
  },
  badAmount: {
    not_a_number: 'Kiasi si sahihi, mfano 0.001.',
    not_local: 'Kiasi si sahihi, mfano 500.',
    zero: 'Kiasi lazima kizidi 0.',
    too_fine: 'Tarakimu 18 tu baada ya nukta.',
    too_large: 'Kiasi hiki ni kikubwa mno.',
  },
  tooManyMistakes: 'Majibu mengi si sahihi. Hakuna kilichotumwa. Tafadhali piga tena.',
  tooLittle: (min) => `Kiasi cha chini cha kutuma ni ${min}.`,
  lowBalance: (balance) => `Salio lako halitoshi: ${balance}.`,
  lowDebt: (owed) => `Unadaiwa ${owed} tu.`,
  sessionEnded: 'Kipindi hiki kimekwisha. Tafadhali piga tena.',
  sessionClosed: 'Kipindi hiki kimekwisha. Hakuna kilichotumwa. Tafadhali piga tena.',

  refused: {
    balance_too_low: (balance) =>
      `Salio lako halitoshi: ${balance}. Hakuna kilichotumwa. Piga tena utume kidogo.`,
    balanceBelowDebt: (owed, balance) =>
      `Unadaiwa ${owed}. Salio lako halitoshi: ${balance}. Hakuna kilichotumwa. Piga tena ulipe sehemu.`,
    existing_loan: (owed) => `Una mkopo tayari. Deni: ${owed}. Piga tena ulipe.`,
    no_loan: 'Huna mkopo wa kulipa. Piga tena uone menyu.',
    repayment_too_large: (owed) =>
      `Unadaiwa ${owed} tu. Hakuna kilichotumwa. Piga tena ulipe deni lote.`,
    no_liquidity: 'Mkopo hauwezi kutolewa kwa sasa. Tafadhali jaribu tena baadaye.',
    not_listed: 'Mikopo haijafunguliwa kwa namba hii. Muulize mkopeshaji wako.',
    loan_limit: 'Ulipata mkopo muda mfupi uliopita. Tafadhali jaribu tena baadaye.',
    terms_changed:
      'Masharti ya mkopo yamebadilika. Hakuna kilichotumwa. Tafadhali piga tena baada ya dakika.',
    contract:
      'Anwani hii ni ya mkataba, si pochi. Hakuna kilichotumwa. Piga tena utume kwa mwingine.',
    invalid_recipient:
      'Mpokeaji huyu hawezi kupokea pesa. Hakuna kilichotumwa. Piga tena utume kwa mwingine.',
    token_refused:
      'Mtoaji wa pesa hizi haruhusu ziende huko kwa sasa. Hakuna kilichotumwa. Tumia pochi nyingine, au jaribu tena baadaye.',
    paused:
      'Mikopo na kutoa pesa vimesimamishwa. Bado unaweza kutuma pesa na kulipa. Hakuna kilichotumwa. Jaribu tena baadaye.',
    withdrawal_limit: (left) =>
      left === undefined
        ? 'Kiasi hiki hakiwezi kutolewa sasa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.'
        : `Unaweza kutoa ${left} tu kwa sasa. Hakuna kilichotumwa. Piga tena utoe kidogo.`,
    nothing_there: 'Salio lako ni 0. Hakuna kilichotumwa. Piga tena uone menyu.',
    unknown: 'Haiwezekani kwa sasa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  },
  nothingSent: 'Hakuna kilichotumwa.',
  nothingWasSent: 'Huduma haipatikani. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  walletChanged:
    'Pochi hii imebadilishwa au kuondolewa. Iliyobadilishwa hailipi kwa saa 24. Hakuna kilichotumwa. Kufuta badiliko: 8, kisha 4.',
  tooManyDials: 'Maombi mengi mno kutoka simu hii. Subiri dakika moja kisha piga tena.',
  unsettled:
    'Malipo yako kwa wakala bado yanakamilika. Hakuna kilichotumwa. Jaribu tena baada ya dakika 10 hivi.',
  tooManyOpen: (max) =>
    `Malipo ${max} tu kwa wakati mmoja. Hakuna kilichotumwa. Tafadhali subiri yafike.`,
  tooManyToday: (max) =>
    `Unaweza kutuma mara ${max} tu kwa siku. Hakuna kilichotumwa. Jaribu tena baadaye.`,
  tooMuchToday: (left) =>
    `Unaweza kutuma ${left} zaidi ndani ya siku. Hakuna kilichotumwa. Piga tena utume kidogo.`,
  tooManyWait: (minutes) =>
    `Malipo mengi yanasubiri. Hakuna kilichotumwa. Jaribu tena baada ya dakika ${minutes} hivi.`,
  feesTooHigh: 'Ada za mtandao ziko juu mno. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  cannotPayFees: 'Malipo yamesimama kidogo. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  paused: 'Malipo yamesimamishwa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  held: (help) =>
    `Akaunti yako imezuiwa. Hakuna kilichotumwa. ${help === undefined ? 'Uliza mtoa huduma wako' : `Piga ${help}`}.`,
  unsent:
    'Bado haijatumwa, lakini bado inaweza kutumwa. Angalia salio lako kabla ya kujaribu tena.',
  uncertain: 'Bado haijulikani kama pesa zimetumwa. Angalia salio lako kabla ya kujaribu tena.',
  unavailable: 'Huduma haipatikani. Tafadhali jaribu tena baadaye.',
  unread: 'Haipatikani sasa. Jaribu tena baadaye.',
  unlistedNumber: 'Namba hii ya simu haijulikani. Hakuna kilichotumwa.',
  outOfService: 'Huduma hii haifanyi kazi.',
}
