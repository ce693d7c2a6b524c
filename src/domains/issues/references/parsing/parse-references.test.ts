import { describe, expect, it } from 'vitest'
import { expectLinear } from '../../../../../test/harness/growth.ts'
import { render } from '../../../repositories/markup/render.ts'
import { parseMentions, parseReferences, type ReferenceGrammar } from './parse-references.ts'

const ROOT = 'http://ingot.test'
const grammar: ReferenceGrammar = {
  rootUrl: ROOT,
  closeKeywords: new Set(['closes', 'fix', 'fixes', 'закрывает']),
  reopenKeywords: new Set(['reopens']),
}

const refer = (text: string): string[] =>
  parseReferences(text, grammar).map(
    ({ repo = '', number, action, seconds }) =>
      `${repo}#${number}${action === 'none' ? '' : ` ${action}`}${seconds === 0 ? '' : ` ${seconds}s`}`,
  )

describe('references in a text', () => {
  it.each<[string, string[]]>([
    ['see #1, !2 and (#3).', ['#1', '#2', '#3']],
    ['a/b#4 and a/b.c!5', ['a/b#4', 'a/b.c#5']],
    [
      `${ROOT}/a/b/issues/6, <${ROOT}/a/b/pulls/7> and [text #9](${ROOT}/a/b/issues/8#issuecomment-1)`,
      ['a/b#6', 'a/b#7', 'a/b#8'],
    ],
    ['http://other.test/a/b/issues/6 http://other.test/?#7', []],
    [`${ROOT}/a/b/issues/6/files ${ROOT}.evil/a/b/issues/6`, []],
    ['a#1 &#2; /#3 #4x #5-a', []],
    ['#1\n#2\n\n> "#3"\n\n- [#4]', ['#1', '#2', '#3', '#4']],
  ])('are found in %j', (text, expected) => expect(refer(text)).toEqual(expected))

  it.each<[string, string[]]>([
    ['Fixes #1, #2 and closes: #3', ['#1 closes', '#2', '#3 closes']],
    ['FIX\n#1. Reopens a/b#2', ['#1 closes', 'a/b#2 reopens']],
    [`**Fixes** _#1_, fixes ${ROOT}/a/b/issues/2`, ['#1 closes', 'a/b#2 closes']],
    ['prefixes #1, auto-fixes #2, fixes the #3, fixes/#4', ['#1', '#2', '#3']],
    ['Закрывает #1', ['#1 closes']],
  ])('are preceded by their keyword in %j', (text, expected) => expect(refer(text)).toEqual(expected))

  it.each<[string, string[]]>([
    ['fixes #1 @1h30m', ['#1 closes 5400s']],
    ['Fixes #123 spent @1h, refs #102, fixes #124 @1.5h', ['#123 closes 3600s', '#102', '#124 closes 5400s']],
    ['#1 @1w2d', ['#1 201600s']],
    ['#1 @1x a@1h @1hour', ['#1']],
  ])('may be followed by the time spent in %j', (text, expected) => expect(refer(text)).toEqual(expected))

  it('are limited to 100 per text', () => expect(refer('#1 '.repeat(500))).toHaveLength(100))
})

const TEXTS: readonly string[] = [
  '`#1` ``#2 ` #3`` #4 ` #5',
  '\\`#1\\` `#2`',
  '```\n#1\n```\n#2',
  '~~~~ js\n#1\n~~~\n#2\n~~~~\n#3',
  '```\n#1 without an end\n\n#2',
  'text\n    #1\n\n    #2\n\n#3',
  '\t#1\n\n#2',
  '- item #1\n\n  #2\n\n      #3\n\n#4',
  '1. ```\n   #1\n   ```\n2. #2',
  '> ```\n> #1\n\n#2',
  '> > #1\n> #2\n#3',
  '- ```\n  #1\n\n#2',
  '# Heading #1\n## `#2`\n#3',
  'Title #1\n===\n#2\n---\n#3',
  '<!-- #1 -->\n#2 <!-- #3 --> #4',
  '<!--\n#1\n\n#2\n-->\n#3',
  '<div>\n#1\n\n#2\n</div>\n\n#3',
  '<pre>\n#1\n\n#2</pre>\n#3',
  'a <b title="#1">#2</b>',
  '<details><summary>#1</summary>\n\n#2\n</details>',
  '[#1](http://other.test) ![#2](x.png) [#3] #4',
  '[link with `#1`](x) and #2',
  '[x]: http://other.test "#1"\n\n#2',
  '*#1* **#2** _#3_ ~~#4~~ __#5__',
  'snake_#1 word#2 #3*',
  '\\#1 a\\#2',
  '| a | b |\n|---|---|\n| #1 | `#2` |\n\n#3',
  '#1: #2; #3! #4? "#5" \'#6\' (#7) [#8] {#9}',
  'a/b#1 x/a/b#2 -/b#3',
  '* * *\n#1\n***\n#2',
  'a `#1\n\n#2` b',
  'a `#1\n#2` #3',
  '2) #1\n\n   #2\n\ntext\n2) #3',
]

describe('the references of a text', () => {
  it.each(TEXTS)('are the ones that the renderer links in %j', (text) => {
    const html = render({
      text,
      format: 'markdown',
      mode: 'comment',
      rootUrl: ROOT,
      context: '/own/own',
      mentionable: [],
      commits: [],
    })
    const linked = [...html.matchAll(/href="http:\/\/ingot\.test\/([^"]*)\/(?:issues|pulls)\/(\d+)"/g)]
    expect(refer(text)).toEqual(linked.map(([, repo, number]) => `${repo === 'own/own' ? '' : repo}#${number}`))
  })
})

describe('mentions in a text', () => {
  it('are names and teams outside of code, without duplicates', () => {
    const text = '@ann, @Ann. @acme/core-team and @acme: `@bob` a@b.c http://x.test/@cyd @dan-'
    expect(parseMentions(text).map(({ name, team }) => (team === undefined ? name : `${name}/${team}`))).toEqual([
      'Ann',
      'acme/core-team',
      'acme',
      'dan',
    ])
  })

  it('are limited to 100', () => {
    const text = Array.from({ length: 300 }, (_, number) => `@u${number}`).join(' ')
    expect(parseMentions(text)).toHaveLength(100)
  })
})

describe('hostile texts', () => {
  it.each<[string, (size: number) => string]>([
    [
      'runs of backticks of every length',
      (size) => Array.from({ length: Math.sqrt(size) }, (_, n) => '`'.repeat(n)).join(' '),
    ],
    ['single backticks', (size) => '` '.repeat(size / 2)],
    ['open brackets', (size) => '['.repeat(size)],
    ['links without an end', (size) => '[a]('.repeat(size / 4)],
    ['titles without an end', (size) => '[a](b "'.repeat(size / 7)],
    ['parentheses in targets', (size) => `[a](${'(a)'.repeat(size / 3)}`],
    ['open angles', (size) => '<a '.repeat(size / 3)],
    ['comments without an end', (size) => '<!-- '.repeat(size / 5)],
    ['nested quotes', (size) => '> '.repeat(size / 2)],
    ['lines in nested lists', (size) => `${'- '.repeat(100)}\n${'\n'.repeat(size)}`],
    ['rules', (size) => '* '.repeat(size / 2)],
    ['asterisks and underlines', (size) => '*_'.repeat(size / 2)],
    ['names', (size) => 'a.'.repeat(size / 2)],
    ['numbers', (size) => `#${'1'.repeat(size)}`],
    ['addresses', (size) => `${ROOT}/a/b/issues/ `.repeat(size / 30)],
    ['an address', (size) => `#1 ${ROOT}/${'a'.repeat(size)}`],
    ['times', (size) => `#1 @${'1h'.repeat(size / 2)}`],
    ['white space', (size) => `a${' '.repeat(size)}#1`],
    ['tabs', (size) => '\t'.repeat(size)],
    ['hyphens in a mention', (size) => `@a${'-'.repeat(size)}x#1`],
  ])('are parsed in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) => {
        parseReferences(`${text}#`, grammar)
        parseMentions(`${text}@`)
      },
      make,
      20_000,
    ),
  )
})
