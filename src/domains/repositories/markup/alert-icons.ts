/** Paths in a 16 × 16 view box, filled by the even-odd rule. */
const SHAPES: Readonly<Record<string, string>> = {
  note: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.75 6h1.5v5h-1.5Zm0-3h1.5v1.5h-1.5Z',
  tip: 'M8 1a5 5 0 0 0-3 9v2h6v-2a5 5 0 0 0-3-9ZM6 13.5h4V15H6Z',
  important: 'M1 2h14v10H8l-3 3v-3H1Zm6.25 2h1.5v4h-1.5Zm0 5h1.5v1.5h-1.5Z',
  warning: 'M8 1l7.5 14H.5Zm-.75 5h1.5v4h-1.5Zm0 5.5h1.5V13h-1.5Z',
  caution: 'M5 1h6l4 4v6l-4 4H5l-4-4V5Zm2.25 3h1.5v5h-1.5Zm0 6h1.5v1.5h-1.5Z',
}

/**
 * Inserts an icon before the title of each alert. NOTE: runs after sanitizing, which deletes SVG; only alerts that the
 * renderer generated keep the class.
 */
export function withAlertIcons(html: string): string {
  return html.replaceAll(/<strong class="attention-(\w+)">/g, (title, kind: string) => {
    const shape = SHAPES[kind]
    if (shape === undefined) return title
    return `<svg class="attention-icon attention-${kind}" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="${shape}"/></svg>${title}`
  })
}
