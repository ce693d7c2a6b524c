import { escapeHtml } from './references/references.ts'

/** A table with line numbers, the first line as its head. */
export function renderCsv(text: string, own: string): string {
  const rows = parseCsv(text)
  const cells = (row: readonly string[], tag: 'th' | 'td', number: number): string =>
    `<tr><${tag} class="line-num" ${own}>${number}</${tag}>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  return `<table class="data-table" ${own}>${rows.map((row, index) => cells(row, index === 0 ? 'th' : 'td', index + 1)).join('')}</table>`
}

/** RFC 4180. The separator is that of comma, semicolon and tab which the first line contains most often. */
function parseCsv(text: string): string[][] {
  const head = text.slice(0, text.indexOf('\n') >>> 0)
  const count = (mark: string): number => head.split(mark).length
  const separator = [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best))
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = (): void => {
    row.push(cell)
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (quoted && char === '"' && text[at + 1] === '"') {
      cell += '"'
      at++
    } else if (char === '"' && (quoted || cell === '')) quoted = !quoted
    else if (quoted) cell += char
    else if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  endRow()
  return rows
}
