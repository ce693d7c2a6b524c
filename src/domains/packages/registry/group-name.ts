const GROUP_NAME = /^[A-Za-z\d][\w.+~-]{0,99}$/

/** Whether the text may name a distribution, branch or repository that divides the packages of an owner. */
export const isGroupName = (text: string): boolean => GROUP_NAME.test(text)
