# Files with passwords.
for name in ada bob new; do printf 'a long password of %s\n' "$name" > "$name.txt"; done
# What the provider has shown.
printf 'a secret of the client\n' > openid-secret
