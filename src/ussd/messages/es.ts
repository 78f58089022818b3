import { dateWith, languageLabels, type Messages } from './texts.ts'

/** Spanish, as mobile money in Latin America words it. */
export const spanish: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Número o dirección del destinatario:\n0. Atrás',
  orRecipient: 'O número, o dirección:\n0. Atrás',
  enterAmount: (to) => `Para: ${to}\nMonto, o todo:\n0. Atrás`,
  enterRepayment: 'Monto a pagar, o todo:\n0. Atrás',
  sending: (amount) => (amount === 'all' ? 'Enviar todo su saldo' : `Enviar ${amount}`),
  about: (worth) => `(unos ${worth})`,
  sendingTo: (to) => `Para: ${to}`,
  unregistered: { unregistered: 'Aún no registrado', unread: '¿Registrado? Ahora no se sabe' },
  noFee: 'Comisión: ninguna',
  creditsAccount: 'Va a una cuenta de este servicio, NO a una billetera.',
  enterWallet: 'Dirección de su billetera externa:\n0. Atrás',
  noWallet: 'No es la dirección de una billetera.',
  confirmCashOut: (amount, to) =>
    [
      amount === 'all' ? 'Retirar todo su saldo' : `Retirar ${amount}`,
      `A la billetera: ${to}`,
      'No se puede deshacer.',
    ].join('\n'),
  receive: (phone, address) =>
    [`Su número: ${phone}`, 'Desde una billetera, envíe a:', address].join('\n'),
  claimed: {
    sent: (amount, tx) =>
      `Abono solicitado\nMonto: ${amount}\nTx: ${tx}\nPronto estará en su cuenta.`,
    unknown: 'Aún no se sabe si su cuenta se está abonando. Marque de nuevo en un minuto.',
    underWay: 'Su cuenta se está abonando. Vea su saldo en un minuto.',
    tooLittle: (there, fee) =>
      `Solo ha llegado ${there}, menos que la comisión de la red de ${fee}. No se abonó. Envíe más y marque de nuevo.`,
    nothing: 'Aún no ha llegado nada a su cuenta. Marque de nuevo en unos minutos.',
    nothingSince: (last) =>
      `No ha llegado nada nuevo. Lo último abonado fue ${last}. Marque de nuevo más tarde.`,
  },
  repeated: (amount, to, minutes) =>
    [`Usted envió ${amount}`, `Para: ${to}`, `Hace ${minutes} min. ¿Enviar otra vez?`].join('\n'),
  loanTerms: (amount, owed, date) =>
    [`Préstamo: ${amount}`, `A pagar: ${owed}`, `Hasta: ${date}`].join('\n'),
  debt: (amount, date) => `Usted debe ${amount}\nHasta: ${date}`,
  noLoan: 'No tiene préstamo.',
  date: dateWith('ene feb mar abr may jun jul ago sep oct nov dic'),
  help: (number) => `Ayuda: llame al ${number}\nNunca le pedimos su PIN.`,
  hasFailed: 'Un pago falló: vea 5',
  unread: {
    note: 'ahora no se sabe',
    debt: 'Su deuda no se puede ver ahora.',
    recipients: 'Números guardados: ahora no se ven.',
  },
  activity: {
    unavailable: 'No disponible. Intente más tarde.',
    nothing: 'Nada todavía.',
    receivedUnknown: 'Lo que recibió no se puede mostrar ahora.',
    allOwed: 'toda la deuda',
    lines: {
      transfer: (amount, who) => `Envió ${amount} a ${who}`,
      received: (amount, who) => `Recibió ${amount} de ${who}`,
      loan: (amount) => `Préstamo de ${amount}`,
      repayment: (amount) => `Pagó ${amount}`,
      cashOut: (amount, who) => `Retiró ${amount} a la billetera ${who}`,
    },
    underWay: 'en camino',
    done: 'hecho',
    failed: (why) => `FALLÓ, ${why}`,
    reasons: {
      balance_too_low: 'saldo insuficiente',
      existing_loan: 'ya tiene un préstamo',
      no_loan: 'no tiene préstamo',
      repayment_too_large: 'más de lo que debe',
      no_liquidity: 'no hay fondos para prestar',
      not_listed: 'número sin acceso a préstamos',
      loan_limit: 'demasiados préstamos',
      terms_changed: 'condiciones del préstamo cambiadas',
      invalid_recipient: 'destinatario no permitido',
      paused: 'servicio en pausa',
      withdrawal_limit: 'límite de retiros alcanzado',
      nothing_there: 'no hay nada',
      unknown: 'no fue posible',
      too_late: 'demasiado tarde',
    },
  },
  pin: {
    choose: 'Elija un PIN de 4 a 6 cifras. Protege su dinero: no lo diga a nadie.',
    again: 'Escriba otra vez el mismo PIN.',
    enter: {
      send: 'PIN para enviar',
      cashOut: 'PIN para retirar',
      agree: 'PIN para aceptar',
      repay: 'PIN para pagar',
      see: 'Escriba su PIN',
      change: 'Escriba su PIN actual',
    },
    form: 'Un PIN tiene de 4 a 6 cifras.',
    easy: 'Este PIN es fácil de adivinar.',
    differs: 'Los dos PIN no son iguales.',
    wrong: (left) => `PIN incorrecto. Intentos: ${left}.`,
    locked: {
      blocked:
        '3 PIN incorrectos: no puede enviar. No se envió nada. Si olvidó el PIN, marque de nuevo y elija 8.',
      unset: 'No tiene PIN. No se envió nada. Marque de nuevo para elegir uno.',
      dormant:
        'Este número no se usó en 90 días. No se envió nada. Pida a su proveedor que abra la cuenta otra vez.',
    },
    chosen: 'Su PIN está guardado. Marque de nuevo.',
    kept: 'No se cambió nada. Marque de nuevo.',
    forgotten:
      'Podrá elegir otro PIN en 24 horas. Si antes se escribe el anterior, todo queda como está.',
    requested: 'Podrá elegir otro PIN en 24 horas: marque entonces. El PIN anterior lo anula.',
  },
  credited: {
    transfer: (amount, who) => `Hecho: se abonó ${amount} a la cuenta de ${who}.`,
    received: (amount, who) => `Recibió ${amount} de ${who}. Se abonó a su cuenta.`,
    loan: (amount) => `Se abonó a su cuenta su préstamo de ${amount}.`,
  },
  nothingMoved: 'No se movió dinero.',
  languageChosen: 'Su idioma ahora es el español. Marque de nuevo.',
  labels: {
    balance: 'Mi saldo',
    send: 'Enviar dinero',
    borrow: 'Pedir préstamo',
    repay: 'Pagar préstamo',
    activity: 'Movimientos',
    receive: 'Recibir',
    claim: 'Abonar lo que llegó',
    cashOut: 'Retirar',
    cashOutNow: 'Retirar a billetera',
    help: 'Ayuda',
    settings: 'Ajustes',
    language: 'Idioma',
    changePin: 'Cambiar PIN',
    forgotPin: 'Olvidé el PIN',
    newPin: 'Necesito otro PIN',
    all: 'Todo',
    part: 'Una parte',
    confirmSend: 'Enviar',
    credit: 'Abonar a la cuenta',
    change: 'Cambiar',
    sendAgain: 'Enviar otra vez',
    agree: 'Acepto',
    ...languageLabels,
  },
  more: 'Más',
  back: 'Atrás',

  balance: (amount) => `Su saldo: ${amount}`,
  transferSubmitted: (to, tx) =>
    ['Envío solicitado', `Para: ${to}`, `Tx: ${tx}`, 'El dinero llegará pronto.'].join('\n'),
  loanRequested: (amount, tx) =>
    ['Préstamo solicitado', `Tx: ${tx}`, `Pronto recibirá ${amount}.`].join('\n'),
  repaymentSubmitted: (amount, tx) =>
    [
      'Pago solicitado',
      `Monto: ${amount === 'all' ? 'toda la deuda' : amount}`,
      `Tx: ${tx}`,
      'Su préstamo se actualizará pronto.',
    ].join('\n'),
  cashOutSubmitted: (to, amount, tx) =>
    ['Retiro solicitado', `Para: ${to}`, `Monto: ${amount}`, `Tx: ${tx}`, 'Llegará pronto.'].join(
      '\n',
    ),
  queued: 'en cola',
  failed: {
    transfer: 'El envío falló\nNo se movió dinero. Marque de nuevo.',
    loan: 'El préstamo falló\nNo se abonó nada. Marque de nuevo.',
    repayment: 'El pago falló\nNo se pagó nada. Marque de nuevo.',
    cashOut: 'El retiro falló\nNo se movió dinero. Marque de nuevo.',
  },

  unknownChoice: 'Elija una opción de la lista.',
  askAgain: (why) => `${why} Intente de nuevo.`,
  badRecipient: {
    unknown_form: 'Dirección o número de teléfono no válido.',
    bad_checksum: 'Esta dirección tiene un error de escritura.',
    own_number: 'Este es su propio número.',
    zero_address: 'La dirección cero no es de nadie: el dinero se pierde.',
    contract: 'Esta dirección es un contrato de este servicio.',
  },
  badAmount: {
    not_a_number: 'Monto no válido, ejemplo 0.001.',
    zero: 'El monto debe ser mayor que 0.',
    too_fine: 'Máximo 18 cifras después del punto.',
    too_large: 'Este monto es demasiado grande.',
  },
  tooManyMistakes: 'Demasiadas respuestas erróneas. No se envió nada. Marque de nuevo.',
  tooLong: 'Esta sesión es demasiado larga. No se envió nada. Marque de nuevo.',
  tooLittle: (least) => `El envío mínimo es ${least}.`,
  sessionEnded: 'Esta sesión ha terminado. Marque de nuevo.',
  sessionClosed: 'Esta sesión ha terminado. No se envió nada. Marque de nuevo.',

  refused: {
    balance_too_low: (balance) =>
      `Su saldo es insuficiente: ${balance}. No se envió nada. Marque de nuevo para enviar menos.`,
    owesMore: (owed, balance) =>
      `A pagar: ${owed}. Su saldo es insuficiente: ${balance}. No se envió nada. Marque de nuevo para pagar una parte.`,
    existing_loan: (owed) =>
      `Ya tiene un préstamo. Falta pagar: ${owed}. Marque de nuevo para pagarlo.`,
    no_loan: 'No tiene préstamo que pagar. Marque de nuevo para ver el menú.',
    repayment_too_large: (owed) =>
      `Solo debe ${owed}. No se envió nada. Marque de nuevo para pagar todo.`,
    no_liquidity: 'No se puede dar ningún préstamo ahora. Intente más tarde.',
    not_listed: 'Los préstamos no están abiertos a este número. Pregunte a su prestamista.',
    loan_limit: 'Tuvo un préstamo hace poco. Intente más tarde.',
    terms_changed:
      'Las condiciones del préstamo cambiaron. No se envió nada. Marque de nuevo en un minuto.',
    invalid_recipient:
      'Este destinatario no puede recibir dinero. No se envió nada. Marque de nuevo para elegir otro.',
    paused: 'El servicio está en pausa. No se envió nada. Intente más tarde.',
    withdrawal_limit: (left) =>
      left === undefined
        ? 'No se puede retirar tanto ahora. No se envió nada. Intente más tarde.'
        : `Ahora solo se puede retirar ${left}. No se envió nada. Marque de nuevo para retirar menos.`,
    nothing_there: 'Su saldo es 0. No se envió nada. Marque de nuevo para ver el menú.',
    unknown: 'No es posible en este momento. No se envió nada. Intente más tarde.',
  },
  nothingWasSent: 'Servicio no disponible. No se envió nada. Intente más tarde.',
  tooManyDials: 'Demasiadas solicitudes de este teléfono. Espere un minuto y marque de nuevo.',
  tooManyOpen: (most) =>
    `Solo ${most} pagos a la vez. No se envió nada. Espere hasta que hayan llegado.`,
  tooManyToday: (most) => `Solo ${most} envíos al día. No se envió nada. Intente más tarde.`,
  tooMuchToday: (left) =>
    `Puede enviar ${left} más en el día. No se envió nada. Marque de nuevo para enviar menos.`,
  tooManyWait: (minutes) =>
    `Hay demasiados pagos en espera. No se envió nada. Intente en unos ${minutes} minutos.`,
  feesTooHigh: 'Las comisiones de la red están muy altas. No se envió nada. Intente más tarde.',
  cannotPayFees: 'Los pagos están detenidos por un momento. No se envió nada. Intente más tarde.',
  paused: 'Los pagos están en pausa. No se envió nada. Intente más tarde.',
  unsent: 'Hasta ahora no se ha enviado, pero aún puede enviarse. Vea su saldo antes de repetir.',
  uncertain: 'Aún no se sabe si se envió. Revise su saldo antes de intentar de nuevo.',
  unavailable: 'Servicio no disponible. Intente más tarde.',
  unlistedNumber: 'Ningún plan de numeración conoce este número. No se envió nada.',
  outOfService: 'Este servicio no está en funcionamiento.',
}
