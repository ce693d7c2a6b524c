const BASE64 = '{base64}'

/** The value of `-o name=value`, the last one given; `{base64}…` stands for its bytes as UTF-8 text. */
export function pushOption(options: readonly string[], name: string): string | undefined {
  const value = options.findLast((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
  return value?.startsWith(BASE64) ? Buffer.from(value.slice(BASE64.length), 'base64').toString('utf8') : value
}

/** True for `-o name` and `-o name=true`. */
export function pushFlag(options: readonly string[], name: string): boolean {
  return pushOption(options, name) === 'true' || options.includes(name)
}
