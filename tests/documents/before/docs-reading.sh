# Files with passwords.
for name in ada bob new; do printf 'a long password of %s\n' "$name" > "$name.txt"; done
# The secret that the provider showed.
printf 'a secret of the provider\n' > openid-secret
