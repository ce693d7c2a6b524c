const HOUR = 60 * 60
/** A day of work has 8 hours and a week 5 days (behaviour/issues#references-keywords-mentions). */
const SECONDS: Readonly<Record<string, number>> = { w: 5 * 8 * HOUR, d: 8 * HOUR, h: HOUR, m: 60 }
const WORK_TIME = /(?<![\w@])@((?:\d{1,5}(?:\.\d{1,5})?[wdhm]){1,4})(?!\w)/i
const TERM = /([\d.]+)([wdhm])/gi

/** The seconds of the first time such as `@1h30m` or `@1.5d` in the text; 0 where there is none. */
export function parseWorkTime(text: string): number {
  const [, time] = WORK_TIME.exec(text) ?? []
  if (time === undefined) return 0
  let seconds = 0
  for (const [, amount, unit] of time.matchAll(TERM)) seconds += Number(amount) * SECONDS[unit!.toLowerCase()]!
  return Math.round(seconds)
}
