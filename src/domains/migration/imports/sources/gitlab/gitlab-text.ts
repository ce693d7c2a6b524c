import { outsideCode } from '../outside-code.ts'

/** The offset of the numbers of merge requests, and the path of the project. */
interface Renumbering {
  readonly offset: number
  readonly path: string
}

/**
 * A text with the numbers of merge requests moved. `!N` names one of the project, also after the path of the project;
 * not inside a word, another path or an address. Blocks of code and code between backticks stay as they are.
 */
export function renumber(text: string, { offset, path }: Renumbering): string {
  if (offset === 0 || !text.includes('!')) return text
  const reference = new RegExp(String.raw`(?<![\w/.!&?=-])(?:${RegExp.escape(path)})?!(\d{1,10})\b`, 'gi')
  return outsideCode(text, (part) => part.replace(reference, (_, number: string) => `!${Number(number) + offset}`))
}

/** A scoped label `a::b` is an exclusive label `a/b` here. */
export function labelName(name: string): string {
  const at = name.lastIndexOf('::')
  return at > 0 ? `${name.slice(0, at)}/${name.slice(at + 2)}` : name
}
