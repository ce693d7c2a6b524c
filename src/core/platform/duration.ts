const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const TERM = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/gy

/**
 * Milliseconds of a duration such as `8h30m0s` or `1.5h`: a sum of decimal numbers with units; `0` needs none.
 * Undefined when the text is not one (behaviour/repositories#editing, grammar of durations).
 */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0
  if (rest === '') return undefined
  let total = 0
  let end = 0
  for (const term of rest.matchAll(TERM)) {
    total += Number(term[1]) * UNITS_MS[term[2]!]!
    end = term.index + term[0].length
  }
  return end === rest.length && Number.isSafeInteger(Math.trunc(total)) ? sign * total : undefined
}

/** `8h0m0s`, `10m0s`, `5s`, `0s`: whole seconds. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  if (h > 0) return `${h}h${m}m${s}s`
  return m > 0 ? `${m}m${s}s` : `${s}s`
}
