import type { Messages } from './en.ts'
import { createDateFormat } from './texts.ts'

/** French, as mobile money in West and Central Africa words it. */
export const french: Messages = {
  wording: 'fr',
  allYouHave: 'tout votre solde',
  enterAmount: (to) => `À: ${to}\nMontant, ou tout:\n0. Retour`,
  amountsIn: (unit) => `Montants en ${unit}`,
  noRate: (local) => `${local}: pas de cours à présent.`,
  amountsNotIn: (local, unit) => `Pas de cours ${local}: tapez en ${unit}, PAS en ${local}`,
  sendAgain: 'Envoyer encore',
  change: 'Modifier',
  age: (minutes) => {
    if (minutes === 0) return "À l'instant"
    return minutes < 60 ? `Il y a ${minutes} min` : `Il y a ${Math.floor(minutes / 60)} h`
  },
  repeated: (amount, to, age) =>
    age === undefined
      ? `Envoyer ${amount}\nÀ: ${to}?`
      : `Vous avez envoyé ${amount}\nÀ: ${to}\n${age}. Envoyer encore?`,
  paidBefore: (payment, age) =>
    `${payment}\n${age}. Rien de plus n'a été envoyé. Veuillez recomposer.`,
  date: createDateFormat('janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'),
  hasFailed: 'Un paiement a échoué: voir 5',
  pin: {
    choose:
      'Choisissez un code PIN de 4 à 6 chiffres. Il protège votre argent: ne le dites à personne.',
    again: 'Tapez encore le même code PIN.',
    enter: {
      see: 'Entrez votre code PIN',
      change: 'Entrez votre code PIN actuel',
      confirm: 'PIN pour confirmer',
    },
    form: 'Un code PIN a 4 à 6 chiffres.',
    easy: 'Ce code PIN est facile à deviner.',
    differs: 'Les deux codes PIN sont différents.',
    forgot: 'Oublié? Tapez 00, puis 8.',
    wrong: (left) => `Code PIN incorrect. Essais restants: ${left}.`,
    locked: {
      blocked:
        "3 codes PIN incorrects: envois bloqués. Rien n'a été envoyé. Recomposez et tapez 8, puis 3: nouveau PIN dans 24 heures.",
      unset: "Vous n'avez pas de PIN. Rien n'a été envoyé. Recomposez pour en choisir un.",
      dormant: (help) =>
        `Ce numéro n'a pas servi pendant 90 jours. Rien n'a été envoyé. ${help === undefined ? 'Demandez à votre prestataire de' : `Appelez le ${help} pour`} rouvrir le compte.`,
    },
    isBlocked: 'Bloqué. Nouveau PIN: 8, puis 3',
    waits: (hours) => `Nouveau PIN dans ${hours} h`,
    isSet: 'Votre code PIN est enregistré.',
    chosen: 'Votre code PIN est enregistré. Veuillez recomposer.',
    unchanged: "Rien n'a changé. Veuillez recomposer.",
    forgotten:
      "Vous pourrez choisir un PIN dans 24 heures. Si l'ancien est tapé avant, tout reste comme avant.",
    forgottenBlocked: 'Vous pourrez choisir un PIN dans 24 heures.',
    requested: (time) =>
      `Vous pourrez choisir un PIN dès ${time}: recomposez alors. Sans PIN vous pouvez recevoir, pas envoyer. Redemander n'y change rien.`,
  },
  failed: (label) => `${label}: ÉCHOUÉ\nAucun argent n'a été déplacé. Veuillez recomposer.`,
  nothingMoved: "Aucun argent n'a bougé.",
  languageChosen: 'Votre langue est maintenant le français. Veuillez recomposer.',
  more: 'Suite',
  back: 'Retour',

  receipt: {
    number: (number) => `Réf: ${number}`,
    noFee: 'Frais: aucun',
    fee: (amount) => `Frais: ${amount}`,
    balanceAfter: (amount) => `Solde après: environ ${amount}`,
    owedAfter: (amount) => `Vous devrez: ${amount}`,
  },
  queued: 'en attente',
  queuedFor: (minutes: string) => `en attente, environ ${minutes} min`,

  unknownChoice: 'Veuillez choisir dans la liste.',
  notSentYet: 'Pas encore envoyé.',
  askAgain: (mistake) => `${mistake} Veuillez réessayer.`,
  badRecipient: {
    unknown_form: 'Adresse ou numéro de téléphone non valide.',
    bad_checksum: 'Cette adresse a une faute de frappe.',
    own_number: "C'est votre propre numéro.",
    own_account: "C'est votre propre compte.",
    zero_address: "L'adresse zéro n'est à personne: l'argent y est perdu.",
    nobody: "Cette adresse n'est à personne: l'argent y est perdu.",
    bridge: "C'est le pont: il ne donne pas de BTC ainsi, l'argent est perdu.",
    contract: 'Cette adresse est un contrat de ce service.',
  },
  badAmount: {
    not_a_number: 'Montant non valide, exemple 0.001.',
    not_local: 'Montant non valide, exemple 500.',
    zero: 'Le montant doit dépasser 0.',
    too_fine: 'Au plus 18 chiffres après le point.',
    too_large: 'Ce montant est trop grand.',
  },
  tooManyMistakes: "Trop de réponses erronées. Rien n'a été envoyé. Veuillez recomposer.",
  tooLittle: (min) => `Le plus petit envoi est de ${min}.`,
  lowBalance: (balance) => `Votre solde est insuffisant: ${balance}.`,
  lowDebt: (owed) => `Vous ne devez que ${owed}.`,
  sessionEnded: 'Cette session est terminée. Veuillez recomposer.',
  sessionClosed: "Cette session est terminée. Rien n'a été envoyé. Veuillez recomposer.",

  refused: {
    balance_too_low: (balance) =>
      `Votre solde est insuffisant: ${balance}. Rien n'a été envoyé. Recomposez pour envoyer moins.`,
    balanceBelowDebt: (owed, balance) =>
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
    contract:
      "Cette adresse est un contrat, pas un portefeuille. Rien n'a été envoyé. Recomposez pour en choisir une autre.",
    invalid_recipient:
      "Ce destinataire ne peut pas recevoir d'argent. Rien n'a été envoyé. Recomposez pour en choisir un autre.",
    token_refused:
      "L'émetteur de cet argent ne permet pas cet envoi en ce moment. Rien n'a été envoyé. Choisissez un autre portefeuille, ou réessayez plus tard.",
    paused:
      "Les prêts et les retraits sont suspendus. Vous pouvez envoyer et rembourser. Rien n'a été envoyé. Réessayez plus tard.",
    withdrawal_limit: (left) =>
      left === undefined
        ? "Un tel retrait est impossible en ce moment. Rien n'a été envoyé. Veuillez réessayer plus tard."
        : `Retrait de ${left} au plus en ce moment. Rien n'a été envoyé. Recomposez pour retirer moins.`,
    nothing_there: "Votre solde est de 0. Rien n'a été envoyé. Recomposez pour le menu.",
    unknown: "Impossible en ce moment. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  },
  nothingSent: "Rien n'a été envoyé.",
  nothingWasSent: "Service indisponible. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  walletChanged:
    "Ce portefeuille a changé ou a été retiré. Changé, il ne paie rien pendant 24 h. Rien n'a été envoyé. Pour annuler: 8, puis 4.",
  tooManyDials: 'Trop de demandes de ce téléphone. Attendez une minute et recomposez.',
  unsettled:
    "Votre paiement chez un agent se termine. Rien n'a été envoyé. Réessayez dans 10 minutes environ.",
  tooManyOpen: (max) =>
    `Seulement ${max} paiements à la fois. Rien n'a été envoyé. Attendez qu'ils soient arrivés.`,
  tooManyToday: (max) =>
    `Seulement ${max} envois par jour. Rien n'a été envoyé. Veuillez réessayer plus tard.`,
  tooMuchToday: (left) =>
    `Vous pouvez encore envoyer ${left} aujourd'hui. Rien n'a été envoyé. Recomposez pour envoyer moins.`,
  tooManyWait: (minutes) =>
    `Trop de paiements attendent. Rien n'a été envoyé. Réessayez dans environ ${minutes} minutes.`,
  feesTooHigh:
    "Les frais du réseau sont trop élevés. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  cannotPayFees:
    "Paiements arrêtés pour un moment. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  paused: "Les paiements sont suspendus. Rien n'a été envoyé. Veuillez réessayer plus tard.",
  held: (help) =>
    `Votre compte est retenu. Rien n'a été envoyé. ${help === undefined ? 'Demandez à votre fournisseur' : `Appelez le ${help}`}.`,
  unsent:
    'Pas encore envoyé, mais cela peut encore partir. Vérifiez votre solde avant de réessayer.',
  uncertain: "On ne sait pas encore si c'est envoyé. Vérifiez votre solde avant de réessayer.",
  unavailable: 'Service indisponible. Veuillez réessayer plus tard.',
  unread: 'Non disponible. Réessayez plus tard.',
  unlistedNumber: "Ce numéro de téléphone est inconnu. Rien n'a été envoyé.",
  outOfService: "Ce service n'est pas en fonction.",
}
