import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

interface ReceivedMail {
  /** The recipient in the envelope. */
  readonly to: string
  /** Headers by their names in lower case, unfolded. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string
}

export interface MailReceiver {
  readonly port: number
  /** Mails in the order of their arrival. */
  readonly mails: ReceivedMail[]
  /** The code of the reply to a recipient, such as 450 or 550; undefined accepts it. */
  refuse: (address: string) => number | undefined
  close(): Promise<void>
}

/** A real SMTP server on a free loopback port that keeps what it receives. */
export async function startMailReceiver(options: SMTPServerOptions = {}): Promise<MailReceiver> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, done) {
      const code = receiver.refuse(address)
      done(code === undefined ? null : Object.assign(new Error('refused here'), { responseCode: code }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(',')
        mails.push({ to, ...parseMessage(Buffer.concat(chunks).toString('latin1')) })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // clients that give up
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const receiver: MailReceiver = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refuse: () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return receiver
}

interface Part {
  readonly headers: Record<string, string>
  readonly body: string
}

function parseMessage(raw: string): Omit<ReceivedMail, 'to'> {
  const { headers, body } = parsePart(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1).map(parsePart)
  const textOf = (type: string): string => {
    const part = parts.find((each) => each.headers['content-type']?.startsWith(type))
    return part === undefined ? '' : decodeBody(part)
  }
  return { headers, text: textOf('text/plain'), html: textOf('text/html') }
}

function parsePart(raw: string): Part {
  const [head = '', ...rest] = raw.replace(/^\r\n/, '').split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: ?/, '')])
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name, decodeWords(value!)])),
    body: rest.join('\r\n\r\n'),
  }
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  const plain =
    encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll(/=\r\n/g, '')) : Buffer.from(body, 'latin1')
  return plain.toString().replaceAll('\r\n', '\n').trimEnd()
}

const decodeQuoted = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )

const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      (kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64') : decodeQuoted(word.replaceAll('_', ' '))).toString(),
    )
