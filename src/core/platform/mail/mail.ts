import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { NodemailerError, SMTPTransportOptions } from 'nodemailer'
import { createHostGuard } from '../outgoing/index.ts'

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
  /** Ids of the earlier mails of the thread, the oldest first. */
  readonly references: readonly string[]
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>
}

/** The server refuses this mail for good: trying again is of no use. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError'
}

/** A session with a mail server. */
interface MailConnection {
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

export interface SmtpSettings {
  /** `smtp` does not encrypt; `starttls` refuses a server that cannot. */
  readonly protocol: 'smtp' | 'smtps' | 'starttls'
  readonly host: string
  readonly port: number
  /** Empty for a server without authentication. */
  readonly user: string
  readonly password: string
  /** Certificates to trust in addition to those of the system, in PEM; empty for none. */
  readonly ca: string
}

const TIMEOUT_MS = 30_000

/** An SMTP server; the addresses of its host are checked and connected to without resolving the name again. */
export function createSmtpServer(settings: SmtpSettings): MailServer {
  const hosts = createHostGuard('external, private, loopback', 'the mailer')
  return {
    async connect() {
      const [address] = await hosts.resolve(settings.host)
      // NOTE: imported with the first mail: most servers send none.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ ...optionsOf(settings), host: address, pool: true, maxConnections: 1 })
      return {
        async send(mail, signal) {
          try {
            await transport.sendMail({ ...messageOf(mail), signal })
          } catch (error) {
            throw isRefusal(error as NodemailerError)
              ? new MailRefusedError((error as Error).message, { cause: error })
              : error
          }
        },
        close: () => transport.close({ force: true }),
      } satisfies MailConnection
    },
  }
}

function optionsOf({ protocol, host, port, user, password, ca }: SmtpSettings): SMTPTransportOptions {
  return {
    port,
    secure: protocol === 'smtps',
    requireTLS: protocol === 'starttls',
    ignoreTLS: protocol === 'smtp',
    tls: {
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== '' && { ca: [...getCACertificates('default'), ca] }),
    },
    ...(user !== '' && { auth: { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // No part of a mail is read from a path or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const messageOf = ({ from, to, subject, text, html, messageId, references, headers }: Mail) => ({
  from,
  to,
  subject,
  text,
  html,
  messageId: `<${messageId}>`,
  ...(references.length > 0 && {
    inReplyTo: `<${references.at(-1)}>`,
    references: references.map((id) => `<${id}>`),
  }),
  // `prepared`: written as they are.
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { prepared: true, value }])),
})

/** A refused sign-in is of the server, not of the mail, so that it is tried again. */
const isRefusal = ({ code, permanent }: NodemailerError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && permanent !== false
