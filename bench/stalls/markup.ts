import { post, type Attack } from './attack.ts'

const MB = 1 << 20
const KB = 1 << 10

const raw = (name: string, body: () => string, count = 1): Attack => ({
  name,
  who: 'anonymous',
  requests: (stage) => {
    const call = post(stage, '/markdown/raw', { type: 'text/plain', body: body() })
    return Array.from({ length: count }, () => call)
  },
})

const render = (name: string, text: () => string, mode = 'gfm'): Attack => ({
  name,
  who: 'anonymous',
  requests: (stage) => [post(stage, '/markdown', { body: JSON.stringify({ Text: text(), Mode: mode }) })],
})

export const MARKUP_ATTACKS: readonly Attack[] = [
  raw('markdown, 16 MB of "', () => '"'.repeat(16 * MB)),
  raw('markdown, 40 MB of "', () => '"'.repeat(40 * MB)),
  render('mention with 200,000 -', () => `@a${'-'.repeat(200_000)}x`, 'comment'),
  { ...raw('34 renderings of [[[[', () => '['.repeat(100 * KB), 34), beside: 'rendering' },
  render('markdown, 900 KB of *a', () => '*a '.repeat(300 * KB)),
  render('markdown, 900 KB of <', () => '<'.repeat(900 * KB)),
  render('markdown, 900 KB of `', () => '`a'.repeat(450 * KB)),
  render('markdown, 900 KB of ![](', () => '![]('.repeat(225 * KB)),
  render('markdown, quotes 10,000 deep', () => `${'>'.repeat(10_000)} a`),
  render('markdown, lists 2,000 deep', () =>
    Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(2 * i)}- a\n`).join(''),
  ),
  render(
    'markdown, a table of 900 KB',
    () => `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${`|${'a|'.repeat(500)}\n`.repeat(900)}`,
  ),
  render('references #1, 900 KB', () => '#1 '.repeat(300 * KB), 'comment'),
  render('emoji names, 900 KB', () => ':+1:'.repeat(225 * KB), 'comment'),
]
