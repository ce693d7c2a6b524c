interface Progress {
  readonly step: string
  readonly objects: number
  /** Not above `objects` while it is unknown. */
  readonly total: number
  readonly seconds: number
}

const BAR_WIDTH = 20

/** Empty while the total is unknown. */
export function progressBar({ objects, total }: Progress): string {
  if (total <= objects) return ''
  const done = Math.floor((BAR_WIDTH * objects) / total)
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_WIDTH - done)}] `
}

/** The number of objects, after a second the rate, and the remaining time if the total is known. */
export function progressLine({ step, objects, total, seconds }: Progress): string {
  const isKnown = total > objects
  const line = `${step}: ${objects}${isKnown ? ` of ${total}` : ''} objects`
  if (seconds < 1) return line
  const perSecond = objects / seconds
  const remaining = isKnown && perSecond > 0 ? `, ${Math.ceil((total - objects) / perSecond)} s left` : ''
  return `${line}, ${perSecond.toFixed(0)}/s${remaining}`
}
