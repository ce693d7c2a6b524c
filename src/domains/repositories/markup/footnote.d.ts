declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it'
  // eslint-disable-next-line import/no-default-export -- the package's own shape
  export default function footnote(md: MarkdownIt): void
}
