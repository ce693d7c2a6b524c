/** Lines up a table for a terminal: the first column to the left, the others to the right. */
export function drawTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** A number with about three digits that count. */
export function shortNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  return value >= 100
    ? value.toFixed(0)
    : value >= 10
      ? value.toFixed(1)
      : value >= 0.1
        ? value.toFixed(2)
        : value.toFixed(3)
}

export const yesNo = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'yes' : 'no')
