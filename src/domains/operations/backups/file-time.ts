/** A time in a file name, without colons, which some file systems refuse; names sort as their times. */
export const fileTime = (time: number): string => new Date(time).toISOString().replaceAll(':', '')

/** Epoch milliseconds. */
export const readFileTime = (text: string): number =>
  Date.parse(text.replace(/T(\d\d)(\d\d)(\d\d\.\d{3}Z)$/, 'T$1:$2:$3'))
