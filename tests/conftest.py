"""What every test folder shares: capabilities that a machine may lack, and how CI requires them."""
