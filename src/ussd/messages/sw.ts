import { dateWith, languageLabels, type Messages } from './texts.ts'

/** Kiswahili, as mobile money in East Africa words it. */
export const kiswahili: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Namba ya simu au anwani ya mpokeaji:\n0. Rudi',
  orRecipient: 'Au namba ya simu au anwani:\n0. Rudi',
  enterAmount: (to) => `Kwa: ${to}\nKiasi, au zote:\n0. Rudi`,
  enterRepayment: 'Kiasi cha kulipa, au zote:\n0. Rudi',
  sending: (amount) => (amount === 'all' ? 'Tuma pesa zako zote' : `Tuma ${amount}`),
  about: (worth) => `(takriban ${worth})`,
  sendingTo: (to) => `Kwa: ${to}`,
  unregistered: { unregistered: 'Bado hajasajiliwa', unread: 'Usajili haujulikani sasa' },
  noFee: 'Ada: hakuna',
  creditsAccount: 'Zitaingia akaunti ya huduma hii, SI pochi.',
  enterWallet: 'Anwani ya pochi yako ya nje:\n0. Rudi',
  noWallet: 'Hii si anwani ya pochi.',
  confirmCashOut: (amount, to) =>
    [
      amount === 'all' ? 'Toa pesa zako zote' : `Toa ${amount}`,
      `Kwa pochi: ${to}`,
      'Haziwezi kurudishwa.',
    ].join('\n'),
  receive: (phone, address) =>
    [`Namba yako: ${phone}`, 'Kutoka pochi, tuma kwa anwani hii:', address].join('\n'),
  claimed: {
    sent: (amount, tx) =>
      `Ombi limetumwa\nKiasi: ${amount}\nTx: ${tx}\nItaingia kwenye akaunti yako hivi punde.`,
    unknown: 'Bado haijulikani kama pesa zinaingia kwenye akaunti yako. Piga tena baada ya dakika.',
    underWay: 'Pesa zinaingia kwenye akaunti yako. Angalia salio baada ya dakika moja.',
    tooLittle: (there, fee) =>
      `Zimefika ${there} tu, chini ya ada ya mtandao ${fee}. Akaunti haijaongezewa. Tuma zaidi kisha piga tena.`,
    nothing: 'Hakuna pesa zilizofika bado. Piga tena baada ya dakika chache.',
    nothingSince: (last) =>
      `Hakuna pesa mpya zilizofika. Mwisho uliongezewa ${last}. Piga tena baadaye.`,
  },
  repeated: (amount, to, minutes) =>
    [`Ulituma ${amount}`, `Kwa: ${to}`, `Dakika ${minutes} zilizopita. Utume tena?`].join('\n'),
  loanTerms: (amount, owed, date) =>
    [`Mkopo: ${amount}`, `Utalipa: ${owed}`, `Mwisho wa kulipa: ${date}`].join('\n'),
  debt: (amount, date) => `Unadaiwa ${amount}\nMwisho: ${date}`,
  noLoan: 'Huna mkopo.',
  date: dateWith('Jan Feb Mac Apr Mei Jun Jul Ago Sep Okt Nov Des'),
  help: (number) => `Msaada: piga ${number}\nHatukuulizi PIN yako kamwe.`,
  hasFailed: 'Malipo yameshindikana: ona 5',
  unread: {
    note: 'haijulikani sasa',
    debt: 'Deni lako halijulikani sasa.',
    recipients: 'Namba zilizohifadhiwa hazijulikani sasa.',
  },
  activity: {
    unavailable: 'Haipatikani sasa. Tafadhali jaribu tena baadaye.',
    nothing: 'Hakuna bado.',
    receivedUnknown: 'Ulizopokea haziwezi kuonyeshwa sasa.',
    allOwed: 'deni lote',
    lines: {
      transfer: (amount, who) => `Ulituma ${amount} kwa ${who}`,
      received: (amount, who) => `Ulipokea ${amount} kutoka ${who}`,
      loan: (amount) => `Mkopo wa ${amount}`,
      repayment: (amount) => `Ulilipa ${amount}`,
      cashOut: (amount, who) => `Ulitoa ${amount} kwa pochi ${who}`,
    },
    underWay: 'njiani',
    done: 'imekamilika',
    failed: (why) => `IMESHINDIKANA, ${why}`,
    reasons: {
      balance_too_low: 'salio halitoshi',
      existing_loan: 'una mkopo tayari',
      no_loan: 'huna mkopo',
      repayment_too_large: 'zaidi ya deni',
      no_liquidity: 'hakuna pesa za mkopo',
      not_listed: 'mikopo haijafunguliwa kwako',
      loan_limit: 'mikopo mingi mno',
      terms_changed: 'masharti ya mkopo yamebadilika',
      invalid_recipient: 'mpokeaji haruhusiwi',
      paused: 'huduma imesimamishwa',
      withdrawal_limit: 'kikomo cha kutoa kimefikiwa',
      nothing_there: 'hakuna pesa',
      unknown: 'haikuwezekana',
      too_late: 'muda umepita',
    },
  },
  pin: {
    choose: 'Chagua PIN ya tarakimu 4 hadi 6. Inalinda pesa zako: usimwambie mtu.',
    again: 'Andika PIN ile ile tena.',
    enter: {
      send: 'Weka PIN kutuma',
      cashOut: 'Weka PIN kutoa pesa',
      agree: 'Weka PIN kukubali',
      repay: 'Weka PIN kulipa',
      see: 'Weka PIN yako',
      change: 'Weka PIN yako ya sasa',
    },
    form: 'PIN ina tarakimu 4 hadi 6.',
    easy: 'PIN hii ni rahisi kukisia.',
    differs: 'PIN hizi mbili ni tofauti.',
    wrong: (left) => `PIN si sahihi. Majaribio: ${left}.`,
    locked: {
      blocked:
        'PIN 3 zisizo sahihi: huwezi kutuma. Hakuna kilichotumwa. Ukisahau PIN, piga tena na uchague 8.',
      unset: 'Huna PIN. Hakuna kilichotumwa. Tafadhali piga tena uchague moja.',
      dormant:
        'Simu hii haikutumika kwa siku 90. Hakuna kilichotumwa. Mwombe mtoa huduma afungue akaunti tena.',
    },
    chosen: 'PIN yako imewekwa. Tafadhali piga tena.',
    kept: 'Hakuna kilichobadilishwa. Tafadhali piga tena.',
    forgotten:
      'Utaweza kuchagua PIN mpya baada ya saa 24. PIN ya zamani ikiandikwa kabla, yote yabaki yalivyo.',
    requested:
      'Utaweza kuchagua PIN mpya baada ya saa 24: piga tena wakati huo. PIN ya zamani inafuta ombi hili.',
  },
  credited: {
    transfer: (amount, who) => `Imekamilika: akaunti ya ${who} imeongezewa ${amount}.`,
    received: (amount, who) => `Umepokea ${amount} kutoka ${who}. Akaunti yako imeongezewa.`,
    loan: (amount) => `Akaunti yako imeongezewa mkopo wako wa ${amount}.`,
  },
  nothingMoved: 'Hakuna pesa zilizohamishwa.',
  languageChosen: 'Lugha yako sasa ni Kiswahili. Tafadhali piga tena.',
  labels: {
    balance: 'Salio Langu',
    send: 'Tuma Pesa',
    borrow: 'Omba Mkopo',
    repay: 'Lipa Mkopo',
    activity: 'Miamala Yangu',
    receive: 'Pokea',
    claim: 'Weka zilizofika',
    cashOut: 'Toa Pesa',
    cashOutNow: 'Toa kwenda pochi',
    help: 'Msaada',
    settings: 'Mipangilio',
    language: 'Lugha',
    changePin: 'Badilisha PIN',
    forgotPin: 'Nimesahau PIN',
    newPin: 'Nahitaji PIN mpya',
    all: 'Deni lote',
    part: 'Sehemu ya deni',
    confirmSend: 'Tuma',
    credit: 'Weka kwenye akaunti',
    change: 'Badilisha',
    sendAgain: 'Tuma tena',
    agree: 'Nakubali',
    ...languageLabels,
  },
  more: 'Zaidi',
  back: 'Rudi',

  balance: (amount) => `Salio lako: ${amount}`,
  transferSubmitted: (to, tx) =>
    ['Ombi la kutuma limepokelewa', `Kwa: ${to}`, `Tx: ${tx}`, 'Pesa zitafika hivi punde.'].join(
      '\n',
    ),
  loanRequested: (amount, tx) =>
    ['Ombi la mkopo limepokelewa', `Tx: ${tx}`, `Utapata ${amount} hivi punde.`].join('\n'),
  repaymentSubmitted: (amount, tx) =>
    [
      'Malipo ya mkopo yamepokelewa',
      `Kiasi: ${amount === 'all' ? 'deni lote' : amount}`,
      `Tx: ${tx}`,
      'Deni lako litapunguzwa hivi punde.',
    ].join('\n'),
  cashOutSubmitted: (to, amount, tx) =>
    [
      'Ombi la kutoa limepokelewa',
      `Kwa: ${to}`,
      `Kiasi: ${amount}`,
      `Tx: ${tx}`,
      'Zitafika hivi punde.',
    ].join('\n'),
  queued: 'kwenye foleni',
  failed: {
    transfer: 'Kutuma kumeshindikana\nHakuna pesa zilizohamishwa. Tafadhali piga tena.',
    loan: 'Mkopo umeshindikana\nHakuna pesa zilizoongezwa. Tafadhali piga tena.',
    repayment: 'Malipo ya mkopo yameshindikana\nHakuna kilicholipwa. Tafadhali piga tena.',
    cashOut: 'Kutoa kumeshindikana\nHakuna pesa zilizohamishwa. Tafadhali piga tena.',
  },

  unknownChoice: 'Tafadhali chagua kwenye orodha.',
  askAgain: (why) => `${why} Tafadhali jaribu tena.`,
  badRecipient: {
    unknown_form: 'Anwani au namba ya simu si sahihi.',
    bad_checksum: 'Anwani hii ina kosa la kuandika.',
    own_number: 'Hii ni namba yako mwenyewe.',
    zero_address: 'Anwani sifuri si ya mtu: pesa hupotea.',
    contract: 'Anwani hii ni mkataba wa huduma hii.',
  },
  badAmount: {
    not_a_number: 'Kiasi si sahihi, mfano 0.001.',
    zero: 'Kiasi lazima kizidi 0.',
    too_fine: 'Tarakimu 18 tu baada ya nukta.',
    too_large: 'Kiasi hiki ni kikubwa mno.',
  },
  tooManyMistakes: 'Majibu mengi si sahihi. Hakuna kilichotumwa. Tafadhali piga tena.',
  tooLong: 'Kipindi hiki ni kirefu mno. Hakuna kilichotumwa. Tafadhali piga tena.',
  tooLittle: (least) => `Kiasi cha chini cha kutuma ni ${least}.`,
  sessionEnded: 'Kipindi hiki kimekwisha. Tafadhali piga tena.',
  sessionClosed: 'Kipindi hiki kimekwisha. Hakuna kilichotumwa. Tafadhali piga tena.',

  refused: {
    balance_too_low: (balance) =>
      `Salio lako halitoshi: ${balance}. Hakuna kilichotumwa. Piga tena utume kidogo.`,
    owesMore: (owed, balance) =>
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
    invalid_recipient:
      'Mpokeaji huyu hawezi kupokea pesa. Hakuna kilichotumwa. Piga tena utume kwa mwingine.',
    paused: 'Huduma imesimamishwa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
    withdrawal_limit: (left) =>
      left === undefined
        ? 'Kiasi hiki hakiwezi kutolewa sasa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.'
        : `Unaweza kutoa ${left} tu kwa sasa. Hakuna kilichotumwa. Piga tena utoe kidogo.`,
    nothing_there: 'Salio lako ni 0. Hakuna kilichotumwa. Piga tena uone menyu.',
    unknown: 'Haiwezekani kwa sasa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  },
  nothingWasSent: 'Huduma haipatikani. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  tooManyDials: 'Maombi mengi mno kutoka simu hii. Subiri dakika moja kisha piga tena.',
  tooManyOpen: (most) =>
    `Malipo ${most} tu kwa wakati mmoja. Hakuna kilichotumwa. Tafadhali subiri yafike.`,
  tooManyToday: (most) =>
    `Unaweza kutuma mara ${most} tu kwa siku. Hakuna kilichotumwa. Jaribu tena baadaye.`,
  tooMuchToday: (left) =>
    `Unaweza kutuma ${left} zaidi ndani ya siku. Hakuna kilichotumwa. Piga tena utume kidogo.`,
  tooManyWait: (minutes) =>
    `Malipo mengi yanasubiri. Hakuna kilichotumwa. Jaribu tena baada ya dakika ${minutes} hivi.`,
  feesTooHigh: 'Ada za mtandao ziko juu mno. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  cannotPayFees: 'Malipo yamesimama kidogo. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  paused: 'Malipo yamesimamishwa. Hakuna kilichotumwa. Tafadhali jaribu tena baadaye.',
  unsent:
    'Bado haijatumwa, lakini bado inaweza kutumwa. Angalia salio lako kabla ya kujaribu tena.',
  uncertain: 'Bado haijulikani kama pesa zimetumwa. Angalia salio lako kabla ya kujaribu tena.',
  unavailable: 'Huduma haipatikani. Tafadhali jaribu tena baadaye.',
  unlistedNumber: 'Namba hii haimo katika mpango wowote wa namba. Hakuna kilichotumwa.',
  outOfService: 'Huduma hii haifanyi kazi.',
}
