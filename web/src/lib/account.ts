// How a page opens the account of the person who is signed in.

export const account = Symbol('account');
export type Account = () => void;
