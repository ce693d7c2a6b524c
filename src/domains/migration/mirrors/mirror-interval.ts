import { formatDuration, parseDuration } from '../../../core/platform/duration.ts'

/**
 * Parses a duration: returns milliseconds, or why the text is refused (behaviour/repositories#editing, grammar of
 * durations).
 */
export function readMirrorInterval(
  text: string,
  minInterval: number,
): number | { readonly problem: 'unparsable' | 'too-short'; readonly message: string } {
  const interval = parseDuration(text)
  if (interval === undefined || interval < 0)
    return { problem: 'unparsable', message: `time: invalid duration "${text}"` }
  if (interval !== 0 && interval < minInterval)
    return {
      problem: 'too-short',
      message: `interval ${formatDuration(interval)} is set below Minimum Interval of ${formatDuration(minInterval)}`,
    }
  return Math.round(interval)
}

/** Parses a setting: returns milliseconds, throws if it is not a duration. */
export function readIntervalSetting(name: string, text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined || duration < 0) throw new Error(`${name}: invalid duration "${text}"`)
  return duration
}
