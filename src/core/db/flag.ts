/** A boolean column: integers work on both databases. */
export type Flag = 0 | 1

export const flag = (value: boolean): Flag => (value ? 1 : 0)
