/**
 * The text with which searched texts and searched words are compared: in lower case, the same on every database and in
 * every locale.
 */
export const foldText = (text: string): string =>
  text.replaceAll('\0', '').toWellFormed().toLowerCase().replaceAll('ς', 'σ')

/** The words of a search, folded, each once. */
export const wordsOf = (query: string): string[] => [...new Set(foldText(query).split(/\s+/).filter(Boolean))]
