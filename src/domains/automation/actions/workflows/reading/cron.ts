import { Cron } from 'croner'

const ZONE = /^(?:CRON_TZ|TZ)=(\S+)\s+/
const FIELDS = /^(?:@\w+|\S+(?:\s+\S+){4})$/

/**
 * The first time after `now` that a cron expression of a workflow means, in epoch milliseconds: five fields or an alias
 * such as `@daily`, perhaps after `TZ=` and a time zone; else in the zone of the server. Undefined for an invalid
 * expression, and for one that means no time.
 */
export function nextTime(text: string, now: number): number | undefined {
  const zone = ZONE.exec(text)
  const expression = text.slice(zone?.[0].length ?? 0).trim()
  if (!FIELDS.test(expression)) return undefined
  try {
    const cron = new Cron(expression, { paused: true, ...(zone && { timezone: zone[1]! }) })
    return cron.nextRun(new Date(now))?.getTime()
  } catch {
    return undefined
  }
}
