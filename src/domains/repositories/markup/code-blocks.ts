import type { HLJSApi } from 'highlight.js'
import { createRequire } from 'node:module'
import { escapeHtml } from './references/references.ts'

const require = createRequire(import.meta.url)

/** NOTE: loaded by the first block of code: it takes a quarter of the time in which a process can render a text. */
const highlighter = (): HLJSApi => require('highlight.js/lib/common') as HLJSApi

/** Short class names for the highlighter's token kinds, as clients' style sheets name them. */
const SHORT: Readonly<Record<string, string>> = {
  keyword: 'k',
  built_in: 'nb',
  type: 'kt',
  literal: 'kc',
  number: 'm',
  string: 's',
  regexp: 'sr',
  comment: 'c',
  doctag: 'sd',
  meta: 'cp',
  title: 'nf',
  'title.class': 'nc',
  'title.function': 'nf',
  attr: 'na',
  attribute: 'na',
  variable: 'nv',
  symbol: 'ss',
  name: 'nt',
  tag: 'nt',
  operator: 'o',
  punctuation: 'p',
  params: 'n',
  property: 'na',
  addition: 'gi',
  deletion: 'gd',
  section: 'gh',
  bullet: 'o',
  code: 's',
  emphasis: 'ge',
  strong: 'gs',
  link: 's',
  quote: 'c',
  subst: 'si',
  selector: 'nt',
  template: 'si',
  char: 'sc',
  formula: 's',
}
const MAX_HIGHLIGHTED_LENGTH = 64 * 1024
/** NOTE: the highlighter takes quadratic time for some lines. */
const LONG_LINE = /[^\n]{1001}/

/** A fenced block: highlighted in a supported language; diagrams and formulas are rendered by the client. */
export function renderCodeBlock(code: string, info: string, own: string): string {
  const language = info
    .trim()
    .split(/[\s{,]/, 1)[0]!
    .toLowerCase()
    .replaceAll(/[^\w+#.-]/g, '')
  if (language === 'mermaid' || language === 'math') {
    return `<pre class="code-block is-loading" ${own}><code class="language-${language} display" ${own}>${escapeHtml(code)}</code></pre>\n`
  }
  const classes = `chroma language-${language === '' ? 'text' : language} display`
  return `<div class="code-block-container code-overflow-scroll" ${own}><pre class="code-block" ${own}><code class="${classes}" ${own}>${highlight(code, language, own)}</code></pre></div>\n`
}

function highlight(code: string, language: string, own: string): string {
  const isLarge = code.length > MAX_HIGHLIGHTED_LENGTH || LONG_LINE.test(code)
  if (isLarge || language === '') return escapeHtml(code)
  const hljs = highlighter()
  if (hljs.getLanguage(language) === undefined) return escapeHtml(code)
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true })
  return value.replaceAll(/<span class="hljs-([\w-]+)([^"]*)">/g, (_, kind: string, modifiers: string) => {
    const detail = modifiers.includes('class_')
      ? `${kind}.class`
      : modifiers.includes('function_')
        ? `${kind}.function`
        : kind
    return `<span class="${SHORT[detail] ?? SHORT[kind] ?? 'n'}" ${own}>`
  })
}
