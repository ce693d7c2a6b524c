import axe from 'axe-core'
import { JSDOM } from 'jsdom'

/** The rules of accessibility that a document breaks, with its elements. Layout and colours are not computed. */
export async function accessibilityProblems(html: string): Promise<string[]> {
  const { window } = new JSDOM(html, { runScripts: 'outside-only' })
  window.eval(axe.source)
  const page = window as unknown as { readonly axe: typeof axe; readonly document: Document }
  const { violations } = await page.axe.run(page.document, { rules: { 'color-contrast': { enabled: false } } })
  window.close()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html: element }) => `${id}: ${element}`))
}
