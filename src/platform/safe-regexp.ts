/**
 * A regular expression that a user wrote, in the syntax of RE2: matched in time linear in the text, so that no
 * pattern can stop the server. Matches anywhere in the text. Undefined when it is not an expression.
 */
export async function compileSafeRegExp(source: string): Promise<((text: string) => boolean) | undefined> {
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source)
    return (text) => compiled.matcher(text).find()
  } catch {
    return undefined
  }
}
