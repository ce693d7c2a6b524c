import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

type Colour = readonly [red: number, green: number, blue: number, alpha: number]

/** The colours of Chromium for pages with `color-scheme: light dark`, which name no others. */
const SCHEMES = {
  light: { page: '#fff', texts: { text: '#000', link: '#00e', visited: '#551a8b' } },
  dark: { page: '#121212', texts: { text: '#fff', link: '#9e9eff', visited: '#d0adf0' } },
}

/** `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`. */
function read(text: string): Colour {
  const digits = text.length < 6 ? text.slice(1).replaceAll(/./g, '$&$&') : text.slice(1)
  const [red, green, blue, alpha = 255] = digits.match(/../g)!.map((pair) => Number.parseInt(pair, 16))
  return [red!, green!, blue!, alpha / 255]
}

const over = (front: Colour, back: Colour, opacity = 1): Colour => {
  const share = front[3] * opacity
  const mix = (at: 0 | 1 | 2): number => front[at] * share + back[at] * (1 - share)
  return [mix(0), mix(1), mix(2), 1]
}

/** Contrast ratio as defined by WCAG 2.2. */
function contrast(one: Colour, other: Colour): number {
  const luminance = (colour: Colour): number => {
    const [red, green, blue] = colour.map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** The pairs of text and background, and of outline and page, without enough contrast. */
function faint(style: string): string[] {
  const values = (property: string): string[] =>
    [...style.matchAll(new RegExp(String.raw`[{;]\s*${property}: ([^;}]+)`, 'g'))].map(([, value]) => value!.trim())
  const colours = values('color').filter((value) => value.startsWith('#'))
  const outlines = values('outline').flatMap((value) => /#\w+/.exec(value) ?? [])
  const found: string[] = []
  for (const [scheme, { page, texts }] of Object.entries(SCHEMES)) {
    const base = read(page)
    const note = (what: string, ratio: number, least: number): void => {
      if (ratio < least) found.push(`${scheme}: ${what} ${ratio.toFixed(2)}`)
    }
    for (const background of ['#0000', ...values('background')])
      for (const opacity of [1, ...values('opacity').map(Number)])
        for (const [name, text] of [...Object.entries(texts), ...colours.map((colour) => [colour, colour] as const)]) {
          const back = over(read(background), base)
          note(`${name} on ${background}, opacity ${opacity}`, contrast(over(read(text), back, opacity), back), 4.5)
        }
    for (const outline of outlines) note(`outline ${outline}`, contrast(over(read(outline), base), base), 3)
  }
  return found
}

describe('pages', () => {
  let server: TestServer
  const open = async (path: string): Promise<Document> =>
    new JSDOM(await (await fetch(server.url + path)).text()).window.document
  const styleOf = (page: Document): string => page.querySelector('style')!.textContent!

  beforeAll(async () => {
    server = await startServer()
    const ann = await server.world.user('ann')
    await server.world.repo({ owner: ann, name: 'boat', autoInit: true, defaultBranch: 'main' })
  })
  afterAll(() => server.close())

  it('have enough contrast in light and dark', async () => {
    // The usual example: one shade too light.
    expect(faint('p { color: #777 }')).toContain('light: #777 on #0000, opacity 1 4.48')
    expect(faint('p { color: #757575 }').filter((pair) => pair.startsWith('light: #'))).toEqual([])
    for (const path of ['/ann/boat', '/user/login']) expect(faint(styleOf(await open(path)))).toEqual([])
    expect(styleOf(await open('/ann/boat'))).toMatch(/background: #/)
  })

  it.each(['/', '/ann', '/ann/boat', '/ann/boat/issues', '/ann/missing'])(
    'can be zoomed and used by keyboard: %s',
    async (path) => {
      const page = await open(path)
      expect(page.querySelector('meta[name=viewport]')?.getAttribute('content')).toBe(
        'width=device-width, initial-scale=1',
      )
      expect([page.documentElement.lang, page.title !== '']).toEqual(['en', true])
      const first = page.querySelector('a[href], button, input, [tabindex]')!
      expect(page.querySelector(first.getAttribute('href')!)).toBe(page.querySelector('main'))
      for (const landmark of ['body > header', 'header nav[aria-label]', 'body > main', 'main > h1'])
        expect([landmark, page.querySelectorAll(landmark).length]).toEqual([landmark, 1])
      expect(styleOf(page)).toMatch(/:focus-visible \{ outline: 2px solid/)
      expect(styleOf(page)).not.toMatch(/outline: (none|0)/)
    },
  )

  it('let a user sign in by keyboard', async () => {
    const page = await open('/user/login')
    expect(page.querySelectorAll('main h1')).toHaveLength(1)
    for (const field of page.querySelectorAll('input:not([type=hidden])'))
      expect(page.querySelector(`label[for="${field.id}"]`)).not.toBeNull()
    expect(styleOf(page)).toMatch(/:focus-visible \{ outline: 2px solid/)
  })
})
