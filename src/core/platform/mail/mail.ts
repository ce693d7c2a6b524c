export interface MailAddress {
  readonly name: string
  readonly address: string
}

/** One mail to one recipient. Ids are without angle brackets. */
export interface Mail {
  readonly from: MailAddress
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  /** Ids of the mails that this one follows, the first mail of the thread first. */
  readonly references: readonly string[]
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>
}

/** The server refuses this mail for good: trying again is of no use. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError'
}

/** A session with a mail server. */
export interface MailConnection {
  /** Throws MailRefusedError, or another error when the mail may be accepted later. */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  close(): void
}

export interface MailServer {
  /** Connects with the first mail that is sent. Throws when the host is unknown or not allowed. */
  connect(): Promise<MailConnection>
}

/** Reads `Name <address>` or an address alone. */
export function parseMailAddress(text: string): MailAddress {
  const [, name = '', address = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(text) ?? ['', '', text]
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}
