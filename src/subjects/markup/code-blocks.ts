import hljs from 'highlight.js/lib/common'
import { escapeHtml } from './references.ts'

/** Short class names for the highlighter's token kinds, as clients' style sheets know them. */
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
const LONGEST_HIGHLIGHTED = 64 * 1024

/** A fenced block: highlighted when the language is known, left for the client when it draws diagrams or formulas. */
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
  if (code.length > LONGEST_HIGHLIGHTED || hljs.getLanguage(language) === undefined) return escapeHtml(code)
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true })
  return value.replaceAll(/<span class="hljs-([\w-]+)([^"]*)">/g, (_, kind: string, rest: string) => {
    const detail = rest.includes('class_') ? `${kind}.class` : rest.includes('function_') ? `${kind}.function` : kind
    return `<span class="${SHORT[detail] ?? SHORT[kind] ?? 'n'}" ${own}>`
  })
}
