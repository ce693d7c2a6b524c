const LOCAL_HOST = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i
const PLACEHOLDERS = new Set(['{user}', '{repo}', '{index}'])

/** A web address elsewhere: http(s), not this machine, not this server's API (reference repositories §7). */
export function isExternalUrl(text: string, rootUrl: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  return !LOCAL_HOST.test(new URL(text).hostname) && !text.toLowerCase().startsWith(`${rootUrl.toLowerCase()}/api/`)
}

/** As isExternalUrl, with `{user}`, `{repo}` and `{index}` where they belong and every brace closed. */
export function isTrackerFormat(text: string, rootUrl: string): boolean {
  const filled = text.replace(/\{[^{}]*\}/g, (placeholder) => (PLACEHOLDERS.has(placeholder) ? 'x' : '{'))
  return !/[{}]/.test(filled) && isExternalUrl(filled, rootUrl)
}
