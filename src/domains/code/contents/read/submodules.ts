/** Parses a `.gitmodules` file into URLs by path. Skips what it cannot parse. */
export function parseSubmodules(text: string): Map<string, string> {
  const urls = new Map<string, string>()
  let section: { path?: string; url?: string } | undefined
  const close = (): void => {
    if (section?.path !== undefined && section.url !== undefined) urls.set(section.path, section.url)
  }
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) {
      close()
      section = /^\s*\[submodule\s+".*"\]/.test(line) ? {} : undefined
      continue
    }
    // NOTE: a regular expression would backtrack over a long line.
    const equals = line.indexOf('=')
    const name = equals === -1 ? '' : line.slice(0, equals).trim().toLowerCase()
    if (section && (name === 'path' || name === 'url')) section[name] = unquote(line.slice(equals + 1).trim())
  }
  close()
  return urls
}

const unquote = (text: string): string =>
  text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')
    : text
