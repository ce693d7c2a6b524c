import { digestOf } from './digest.ts'

/** JSON that is already written: the body of an answer that consists of parts which are kept as text. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

export const jsonArray = (items: readonly string[]): JsonText => new JsonText(`[${items.join(',')}]`)

/** An object with further members whose values are JSON already. `own` has at least one member. */
export const jsonObject = (own: object, members: Readonly<Record<string, string>>): string =>
  `${JSON.stringify(own).slice(0, -1)},${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`

export const toJson = (body: unknown): string => (body instanceof JsonText ? body.text : JSON.stringify(body))

/** A whole JSON answer as it is sent, with the new line at its end: for answers that are kept. */
export class JsonBytes {
  readonly bytes: Buffer
  #digest: string | undefined

  /** `body`: what is to be written, or the bytes that are written already. */
  constructor(body: unknown) {
    this.bytes = body instanceof Buffer ? body : jsonLine(toJson(body))
  }

  /** What the tag of the answer is made of. */
  get digest(): string {
    return (this.#digest ??= digestOf(this.bytes))
  }

  toJSON(): unknown {
    return JSON.parse(this.bytes.toString())
  }
}

const NEW_LINE = 10

/** A text and a new line as bytes. */
export function jsonLine(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafeSlow(length + 1)
  bytes.write(text)
  bytes[length] = NEW_LINE
  return bytes
}
