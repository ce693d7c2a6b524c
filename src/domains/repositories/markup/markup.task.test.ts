import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Runs in its own process, where no other test has loaded modules. */
const PROGRAM = `
  import { createRequire } from 'node:module'
  import { createTask } from ${JSON.stringify(new URL('./markup.task.ts', import.meta.url).pathname)}
  const { cache } = createRequire(import.meta.url)
  const count = () => Object.keys(cache).filter((path) => path.includes('/highlight.js/')).length
  const render = (text) => createTask()({ kind: 'render', input: {
    text, format: 'markdown', mode: 'document', rootUrl: 'https://example.test/', context: '', mentionable: [], commits: [],
  } })
  const plain = render('# a\\n\\n~~~\\nb\\n~~~\\n')
  const before = count()
  const code = render('~~~js\\nvar b = 1\\n~~~\\n')
  console.log(JSON.stringify({ plain, before, code, after: count() }))`

it('loads the highlighter when it renders the first code block with a language', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' })
  const { plain, before, code, after } = JSON.parse(printed) as Record<string, string | number>
  expect(plain).toContain('class="chroma language-text display">b')
  expect(before).toBe(0)
  expect(code).toContain('<span class="k">var</span>')
  expect(after).toBeGreaterThan(0)
})
