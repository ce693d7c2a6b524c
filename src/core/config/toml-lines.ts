const HEADER = /^\s*\[\s*([\w.-]+)\s*\]/
const MEMBER = /^\s*([\w.-]+)\s*=/
const QUOTES = /"""|'''/g

/**
 * The line of each section (`server`) and setting (`server.port`) of a TOML file, counted from 1. The first one counts.
 * Quoted keys and members of inline tables are absent.
 */
export function tomlLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  let section = ''
  let isInText = false
  text.split('\n').forEach((line, index) => {
    const header = isInText ? undefined : HEADER.exec(line)?.[1]
    const member = isInText ? undefined : MEMBER.exec(line)?.[1]
    if (header !== undefined) section = header
    const path = header ?? (member !== undefined && section !== '' ? `${section}.${member}` : member)
    if (path !== undefined && !lines.has(path)) lines.set(path, index + 1)
    if ((line.match(QUOTES)?.length ?? 0) % 2 === 1) isInText = !isInText
  })
  return lines
}
