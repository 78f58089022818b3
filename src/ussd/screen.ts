/** What a gateway shows: with `CON` the session goes on, with `END` it is over. */
export type Screen = { goesOn: boolean; text: string }

export const goOn = (text: string): Screen => ({ goesOn: true, text })
export const end = (text: string): Screen => ({ goesOn: false, text })

/** The text protocol of Africa's Talking and of the demonstration. */
export const renderPlain = ({ goesOn, text }: Screen): string => `${goesOn ? 'CON' : 'END'} ${text}`
