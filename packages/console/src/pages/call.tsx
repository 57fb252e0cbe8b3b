// placeholder
export const CallPage = () => null;
