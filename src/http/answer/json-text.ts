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

export const toJson = (body: unknown): string => (body instanceof JsonText ? body.text : JSON.stringify(body))
