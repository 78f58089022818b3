import { dateWith, languageLabels, type Messages } from './texts.ts'

/** French, as mobile money in West and Central Africa words it. */
export const french: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Numéro ou adresse du destinataire:\n0. Retour',
  orRecipient: 'Ou numéro, ou adresse:\n0. Retour',
  enterAmount: (to) => `À: ${to}\nMontant, ou tout:\n0. Retour`,
  enterRepayment: 'Montant à rembourser, ou tout:\n0. Retour',
  sending: (amount) => (amount === 'all' ? 'Envoyer tout votre solde' : `Envoyer ${amount}`),
  about: (worth) => `(environ ${worth})`,
  sendingTo: (to) => `À: ${to}`,
  unregistered: { unregistered: 'Pas encore inscrit', unread: 'Inscrit: non connu pour le moment' },
  noFee: 'Frais: aucun',
  creditsAccount: 'Crédite un compte de ce service, PAS un portefeuille.',
  enterWallet: 'Adresse de votre portefeuille externe:\n0. Retour',
  noWallet: "Ce n'est pas une adresse de portefeuille.",
  confirmCashOut: (amount, to) =>
    [
      amount === 'all' ? 'Retirer tout votre solde' : `Retirer ${amount}`,
      `Vers le portefeuille: ${to}`,
      'Cela ne peut pas être annulé.',
    ].join('\n'),
  receive: (phone, address) =>
    [`Votre numéro: ${phone}`, "Depuis un portefeuille, envoyez à l'adresse:", address].join('\n'),
  claimed: {
    sent: (amount, tx) =>
      `Crédit demandé\nMontant: ${amount}\nTx: ${tx}\nVotre compte le recevra bientôt.`,
    unknown:
      "On ne sait pas encore si votre compte est en train d'être crédité. Recomposez dans une minute.",
    underWay: "Votre compte est en train d'être crédité. Voyez votre solde dans une minute.",
    tooLittle: (there, fee) =>
      `Seulement ${there} reçu, moins que les frais du réseau: ${fee}. Compte non crédité. Envoyez plus et recomposez.`,
    nothing: "Rien n'est encore arrivé pour votre compte. Recomposez dans quelques minutes.",
    nothingSince: (last) =>
      `Rien de nouveau. Votre compte a été crédité de ${last} la dernière fois. Recomposez plus tard.`,
  },
  repeated: (amount, to, minutes) =>
    [`Vous avez envoyé ${amount}`, `À: ${to}`, `Il y a ${minutes} min. Envoyer encore?`].join('\n'),
  loanTerms: (amount, owed, date) =>
    [`Prêt: ${amount}`, `À rembourser: ${owed}`, `Échéance: ${date}`].join('\n'),
  debt: (amount, date) => `Vous devez ${amount}\nÉchéance: ${date}`,
  noLoan: "Vous n'avez pas de prêt.",
  date: dateWith('janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'),
  help: (number) => `Aide: appelez le ${number}\nNous ne demandons jamais votre PIN.`,
  hasFailed: 'Un paiement a échoué: voir 5',
  unread: {
    note: 'non connu',
    debt: 'Dette: non connue pour le moment.',
    recipients: 'Numéros gardés: non connus à présent.',
  },
  activity: {
    unavailable: 'Non disponible. Veuillez réessayer plus tard.',
    nothing: "Rien pour l'instant.",
    receivedUnknown: 'Ce que vous avez reçu ne peut pas être affiché maintenant.',
    allOwed: 'toute la dette',
    lines: {
      transfer: (amount, who) => `Envoyé ${amount} à ${who}`,
      received: (amount, who) => `Reçu ${amount} de ${who}`,
      loan: (amount) => `Prêt de ${amount}`,
      repayment: (amount) => `Remboursé ${amount}`,
      cashOut: (amount, who) => `Retiré ${amount} vers le portefeuille ${who}`,
    },
    underWay: 'en cours',
    done: 'terminé',
    failed: (why) => `ÉCHOUÉ, ${why}`,
    reasons: {
      balance_too_low: 'solde insuffisant',
      existing_loan: 'prêt déjà en cours',
      no_loan: 'aucun prêt à rembourser',
      repayment_too_large: 'plus que la dette',
      no_liquidity: 'pas de fonds à prêter',
      not_listed: 'numéro sans accès aux prêts',
      loan_limit: 'trop de prêts',
      terms_changed: 'conditions du prêt modifiées',
      invalid_recipient: 'destinataire refusé',
      paused: 'service suspendu',
      withdrawal_limit: 'limite des retraits atteinte',
      nothing_there: 'rien à envoyer',
      unknown: 'impossible',
      too_late: 'trop tard',
    },
  },
  pin: {
    choose: 'Choisissez un PIN de 4 à 6 chiffres. Il garde votre argent: ne le dites à personne.',
    again: 'Tapez encore le même PIN.',
    enter: {
      send: 'PIN pour envoyer',
      cashOut: 'PIN pour retirer',
      agree: 'PIN pour accepter',
      repay: 'PIN pour rembourser',
      see: 'Entrez votre PIN',
      change: 'Entrez votre PIN actuel',
    },
    form: 'Un PIN a 4 à 6 chiffres.',
    easy: 'Ce PIN est facile à deviner.',
    differs: 'Les deux PIN diffèrent.',
    wrong: (left) => `PIN faux. Essais: ${left}.`,
    locked: {
      blocked:
        "3 PIN faux: les envois sont bloqués. Rien n'a été envoyé. Si vous avez oublié le PIN, recomposez et choisissez 8.",
      unset: "Vous n'avez pas de PIN. Rien n'a été envoyé. Recomposez pour en choisir un.",
      dormant:
        "Ce numéro n'a pas servi pendant 90 jours. Rien n'a été envoyé. Demandez à votre prestataire de rouvrir le compte.",
    },
    chosen: 'Votre PIN est enregistré. Veuillez recomposer.',
    kept: "Rien n'a changé. Veuillez recomposer.",
    forgotten:
      "Vous pourrez choisir un PIN dans 24 heures. Si l'ancien est tapé avant, tout reste comme avant.",
    requested:
      "Vous pourrez choisir un PIN dans 24 heures: recomposez alors. L'ancien PIN annule cela.",
  },
  credited: {
    transfer: (amount, who) => `Terminé: le compte de ${who} a été crédité de ${amount}.`,
    received: (amount, who) => `Vous avez reçu ${amount} de ${who}. Votre compte a été crédité.`,
    loan: (amount) => `Votre compte a été crédité de votre prêt de ${amount}.`,
  },
  nothingMoved: "Aucun argent n'a bougé.",
  languageChosen: 'Votre langue est maintenant le français. Veuillez recomposer.',
  labels: {
    balance: 'Mon solde',
    send: 'Envoyer',
    borrow: 'Emprunter',
    repay: 'Rembourser',
    activity: 'Historique',
    receive: 'Recevoir',
    claim: 'Créditer ce qui est arrivé',
    cashOut: 'Retirer',
    cashOutNow: 'Retirer au portefeuille',
    help: 'Aide',
    settings: 'Paramètres',
    language: 'Langue',
    changePin: 'Changer le PIN',
    forgotPin: 'PIN oublié',
    newPin: 'Il me faut un PIN',
    all: 'Tout',
    part: 'Une partie',
    confirmSend: 'Envoyer',
    credit: 'Créditer le compte',
    change: 'Modifier',
    sendAgain: 'Envoyer encore',
    agree: "J'accepte",
    ...languageLabels,
  },
  more: 'Suite',
  back: 'Retour',

  balance: (amount) => `Votre solde: ${amount}`,
  transferSubmitted: (to, tx) =>
    ['Envoi demandé', `À: ${to}`, `Tx: ${tx}`, "L'argent arrivera bientôt."].join('\n'),
  loanRequested: (amount, tx) =>
    ['Prêt demandé', `Tx: ${tx}`, `${amount} sera bientôt crédité.`].join('\n'),
  repaymentSubmitted: (amount, tx) =>
    [
      'Remboursement demandé',
      `Montant: ${amount === 'all' ? 'toute la dette' : amount}`,
      `Tx: ${tx}`,
      'Votre prêt sera bientôt mis à jour.',
    ].join('\n'),
  cashOutSubmitted: (to, amount, tx) =>
    ['Retrait demandé', `À: ${to}`, `Montant: ${amount}`, `Tx: ${tx}`, 'Il arrivera bientôt.'].join(
      '\n',
    ),
  queued: 'en attente',
  failed: {
    transfer: "Envoi échoué\nAucun argent n'a été déplacé. Veuillez recomposer.",
    loan: "Prêt échoué\nRien n'a été crédité. Veuillez recomposer.",
    repayment: "Remboursement échoué\nRien n'a été remboursé. Veuillez recomposer.",
    cashOut: "Retrait échoué\nAucun argent n'a été déplacé. Veuillez recomposer.",
  },

  unknownChoice: 'Veuillez choisir dans la liste.',
  askAgain: (why) => `${why} Veuillez réessayer.`,
  badRecipient: {
    unknown_form: 'Adresse ou numéro de téléphone non valide.',
    bad_checksum: 'Cette adresse a une faute de frappe.',
    own_number: "C'est votre propre numéro.",
    zero_address: "L'adresse zéro n'est à personne: l'argent y est perdu.",
    contract: 'Cette adresse est un contrat de ce service.',
  },
  badAmount: {
    not_a_number: 'Montant non valide, exemple 0.001.',
    zero: 'Le montant doit dépasser 0.',
    too_fine: 'Au plus 18 chiffres après le point.',
    too_large: 'Ce montant est trop grand.',
  },
  tooManyMistakes: "Trop de réponses erronées. Rien n'a été envoyé. Veuillez recomposer.",
  tooLong: "Cette session est trop longue. Rien n'a été envoyé. Veuillez recomposer.",
  tooLittle: (least) => `Le plus petit envoi est de ${least}.`,
  sessionEnded: 'Cette session est terminée. Veuillez recomposer.',
  sessionClosed: "Cette session est terminée. Rien n'a été envoyé. Veuillez recomposer.",

  refused: {
    balance_too_low: (balance) =>
      `Votre solde est insuffisant: ${balance}. Rien n'a été envoyé. Recomposez pour envoyer moins.`,
    owesMore: (owed, balance) =>
      `À rembourser: ${owed}. Solde insuffisant: ${balance}. Rien n'a été envoyé. Recomposez pour en rembourser une partie.`,
    existing_loan: (owed) =>
      `Vous avez déjà un prêt. Reste à rembourser: ${owed}. Recomposez pour le rembourser.`,
    no_loan: "Vous n'avez pas de prêt à rembourser. Recomposez pour le menu.",
    repayment_too_large: (owed) =>
      `Vous ne devez que ${owed}. Rien n'a été envoyé. Recomposez pour tout rembourser.`,
    no_liquidity: 'Aucun prêt possible en ce moment. Veuillez réessayer plus tard.',
    not_listed: 'Les prêts ne sont pas ouverts à ce numéro. Demandez à votre prêteur.',
    loan_limit: 'Vous avez eu un prêt récemment. Veuillez réessayer plus tard.',
    terms_changed:
      "Les conditions du prêt ont changé. Rien n'a été envoyé. Veuillez recomposer dans une minute.",
    invalid_recipient:
      "Ce destinataire ne peut pas recevoir d'argent. Rien n'a été envoyé. Recomposez pour en choisir un autre.",
    paused: "Le service est suspendu. Rien n'a été envoyé. Veuillez réessayer plus tard.",
    withdrawal_limit: (left) =>
      left === undefined
        ? "Un tel retrait est impossible en ce moment. Rien n'a été envoyé. Veuillez réessayer plus tard."
        : `Retrait de ${left} au plus en ce moment. Rien n'a été envoyé. Recomposez pour retirer moins.`,
    nothing_there: "Votre solde est de 0. Rien n'a été envoyé. Recomposez pour le menu.",
    unknown: "Impossible en ce moment. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  },
  nothingWasSent: "Service indisponible. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  tooManyDials: 'Trop de demandes de ce téléphone. Attendez une minute et recomposez.',
  tooManyOpen: (most) =>
    `Seulement ${most} paiements à la fois. Rien n'a été envoyé. Attendez qu'ils soient arrivés.`,
  tooManyToday: (most) =>
    `Seulement ${most} envois par jour. Rien n'a été envoyé. Veuillez réessayer plus tard.`,
  tooMuchToday: (left) =>
    `Vous pouvez encore envoyer ${left} aujourd'hui. Rien n'a été envoyé. Recomposez pour envoyer moins.`,
  tooManyWait: (minutes) =>
    `Trop de paiements attendent. Rien n'a été envoyé. Réessayez dans environ ${minutes} minutes.`,
  feesTooHigh:
    "Les frais du réseau sont trop élevés. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  cannotPayFees:
    "Paiements arrêtés pour un moment. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  paused: "Les paiements sont suspendus. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  unsent:
    'Pas encore envoyé, mais cela peut encore partir. Vérifiez votre solde avant de réessayer.',
  uncertain: "On ne sait pas encore si c'est envoyé. Vérifiez votre solde avant de réessayer.",
  unavailable: 'Service indisponible. Veuillez réessayer plus tard.',
  unlistedNumber: "Aucun plan de numérotation ne connaît ce numéro. Rien n'a été envoyé.",
  outOfService: "Ce service n'est pas en fonction.",
}
