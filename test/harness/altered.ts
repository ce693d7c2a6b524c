/** The same text with another character, eight before the end: never the text itself, nor one that decodes alike. */
export const altered = (text: string): string =>
  `${text.slice(0, -8)}${text.at(-8) === 'a' ? 'b' : 'a'}${text.slice(-7)}`
