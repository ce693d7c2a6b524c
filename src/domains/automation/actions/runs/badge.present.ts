import type { RunStatus } from './run-status.policy.ts'

const TEXTS: Readonly<Partial<Record<RunStatus, readonly [text: string, color: string]>>> = {
  success: ['passing', '#4c1'],
  failure: ['failing', '#e05d44'],
  cancelled: ['cancelled', '#9f9f9f'],
  skipped: ['skipped', '#9f9f9f'],
}
const NONE = ['no status', '#9f9f9f'] as const
const MAX_LABEL = 64
const CHARACTER_WIDTH = 7
const PADDING = 10

const escapeXml = (text: string): string =>
  text.replace(/[^\x20-\x7E\u00A0-\uD7FF]/g, ' ').replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** A small image with the file name of a workflow and the result of its last run that ended. */
export function presentBadge(
  workflow: string,
  result: RunStatus | undefined,
  { isSquare }: { readonly isSquare: boolean },
): string {
  const [text, color] = (result && TEXTS[result]) ?? NONE
  const label = workflow.slice(0, MAX_LABEL)
  const [left, right] = [label, text].map((part) => part.length * CHARACTER_WIDTH + PADDING) as [number, number]
  const shown = escapeXml(label)
  const write = (part: string, center: number): string => `<text x="${center}" y="14">${part}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${shown}: ${text}"><title>${shown}: ${text}</title><clipPath id="r"><rect width="${left + right}" height="20" rx="${isSquare ? 0 : 3}"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#555"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${write(shown, left / 2)}${write(text, left + right / 2)}</g></svg>\n`
}
