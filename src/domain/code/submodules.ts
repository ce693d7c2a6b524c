/** Reads a `.gitmodules` file: URL by path. What does not parse is left out. */
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
    const member = /^\s*(path|url)\s*=\s*(.*?)\s*$/i.exec(line)
    if (member && section) section[member[1]!.toLowerCase() as 'path' | 'url'] = unquote(member[2]!)
  }
  close()
  return urls
}

const unquote = (text: string): string => (text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : text)
