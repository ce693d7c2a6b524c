/** Normalizes texts and search words for comparison: lower case, identical on every database and in every locale. */
export const foldText = (text: string): string =>
  text.replaceAll('\0', '').toWellFormed().toLowerCase().replaceAll('ς', 'σ')

/** The folded words of a search, without duplicates. */
export const wordsOf = (query: string): string[] => [...new Set(foldText(query).split(/\s+/).filter(Boolean))]
