/** Who and when, as written in commits and tags. */
export interface Identity {
  readonly name: string
  readonly email: string
  /** Epoch seconds. */
  readonly time: number
  /** Minutes east of UTC of the writer's clock. */
  readonly offset: number
}

/** Reads `Name <email> 1700000000 +0200`; what is missing or broken becomes empty, 0 and UTC, as git shows it. */
export function parseIdentity(text: string): Identity {
  const close = text.lastIndexOf('>')
  const open = text.indexOf('<')
  if (open === -1 || close < open) return { name: text.trim(), email: '', time: 0, offset: 0 }
  const match = /^\s*(-?\d{1,15})(?:\s+([+-])(\d{1,2})(\d{2}))?/.exec(text.slice(close + 1))
  const minutes = match?.[4] === undefined ? 0 : Number(match[3]) * 60 + Number(match[4])
  return {
    name: text.slice(0, open).trim(),
    email: text.slice(open + 1, close).trim(),
    time: match ? Number(match[1]) : 0,
    offset: match?.[2] === '-' && minutes !== 0 ? -minutes : minutes,
  }
}

export function formatIdentity(identity: Identity): string {
  const minutes = Math.abs(Math.trunc(identity.offset))
  const zone = `${String(Math.trunc(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`
  const sign = identity.offset < 0 ? '-' : '+'
  return `${cleanName(identity.name)} <${cleanName(identity.email)}> ${Math.trunc(identity.time)} ${sign}${zone}`
}

/** Takes out what git takes out of names and emails: line breaks, NUL, angle brackets, and crud at the ends. */
function cleanName(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\0\n\r<>]/g, '').replace(/^[\s.,:;"'\\]+|(?<![\s,:;"'\\])[\s,:;"'\\]+$/g, '')
}
