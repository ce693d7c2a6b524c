import { formatDuration, parseDuration } from '../../platform/duration.ts'

/** Milliseconds between two syncs, or what is wrong with the text (reference repositories §7, grammar of durations). */
export function readMirrorInterval(
  text: string,
  least: number,
): number | { readonly problem: 'unparsable' | 'too-short'; readonly message: string } {
  const interval = parseDuration(text)
  if (interval === undefined || interval < 0)
    return { problem: 'unparsable', message: `time: invalid duration "${text}"` }
  if (interval !== 0 && interval < least)
    return {
      problem: 'too-short',
      message: `interval ${formatDuration(interval)} is set below Minimum Interval of ${formatDuration(least)}`,
    }
  return Math.round(interval)
}

/** Milliseconds that a setting holds. Throws when it is no duration. */
export function readIntervalSetting(name: string, text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined || duration < 0) throw new Error(`${name}: invalid duration "${text}"`)
  return duration
}
